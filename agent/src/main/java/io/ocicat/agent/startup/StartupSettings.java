package io.ocicat.agent.startup;

import io.ocicat.base.Quoted;
import io.ocicat.netlink.IpFamily;
import java.util.Locale;
import java.util.Map;

/** The environment variables of calico/node. A variable that is empty is not set. */
public record StartupSettings(Map<String, String> environment) {
  public StartupSettings {
    environment = Map.copyOf(environment);
  }

  /** The value of a variable; empty when it is not set. */
  String text(String variable) {
    return environment.getOrDefault(variable, "").strip();
  }

  /** The value of a variable whose case does not matter, in lower case. */
  String word(String variable) {
    return text(variable).toLowerCase(Locale.ROOT);
  }

  /**
   * The value of a switch.
   *
   * @throws StartupException when it is neither true nor false
   */
  boolean flag(String variable, boolean initial) {
    return switch (word(variable)) {
      case "" -> initial;
      case "true", "yes", "1" -> true;
      case "false", "no", "0" -> false;
      default ->
          throw StartupException.badSetting(
              "%s must be true or false, not %s".formatted(variable, Quoted.brief(text(variable))));
    };
  }

  /** What the node's address of a family is to be: an address, {@code autodetect}, {@code none}. */
  String address(IpFamily family) {
    return text(addressVariable(family));
  }

  static String addressVariable(IpFamily family) {
    return family == IpFamily.V4 ? "IP" : "IP6";
  }

  static String methodVariable(IpFamily family) {
    return addressVariable(family) + "_AUTODETECTION_METHOD";
  }

  /** Whether Calico does not network the pods, so that nodes need no address. */
  boolean isPolicyOnly() {
    return word("CALICO_NETWORKING_BACKEND").equals("none");
  }

  /**
   * Whether flannel networks the pods, instead of Calico or in addition to it.
   *
   * @throws StartupException when the variable has another value
   */
  public boolean usesFlannel() {
    return flag("OCICAT_FLANNEL", false);
  }
}
