package io.ocicat.agent.startup;

import io.ocicat.base.Quoted;
import io.ocicat.ip.IpPrefix;
import io.ocicat.plugins.support.GoPattern;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;

/** A way to find the node's own address, as {@code IP_AUTODETECTION_METHOD} names it. */
sealed interface DetectionMethod {

  /** Any address that is not on an interface of another kind, by its name. */
  record FirstFound(List<Pattern> excluded) implements DetectionMethod {
    public FirstFound {
      excluded = List.copyOf(excluded);
    }
  }

  /** An address of an interface whose name has a match of one of these. */
  record OfInterface(List<Pattern> names) implements DetectionMethod {
    public OfInterface {
      names = List.copyOf(names);
    }
  }

  /** An address in one of these networks. */
  record InCidr(List<IpPrefix> cidrs) implements DetectionMethod {
    public InCidr {
      cidrs = List.copyOf(cidrs);
    }
  }

  /** The address that packets to a host are sent from. */
  record CanReach(String destination) implements DetectionMethod {}

  /** The InternalIP of the Kubernetes node. */
  record KubernetesInternalIp() implements DetectionMethod {}

  /**
   * Reads a method.
   *
   * @param variable where it is from, for messages
   * @throws StartupException when it is invalid
   */
  static DetectionMethod parse(String variable, String text) {
    int equals = text.indexOf('=');
    String name = equals < 0 ? text : text.substring(0, equals);
    String value = equals < 0 ? "" : text.substring(equals + 1);
    return switch (name) {
      case "", "first-found" -> new FirstFound(List.of());
      case "skip-interface" -> new FirstFound(patterns(variable, value));
      case "interface" -> new OfInterface(patterns(variable, value));
      case "cidr" -> new InCidr(cidrs(variable, value));
      case "can-reach" -> {
        if (value.isEmpty()) {
          throw StartupException.badSetting(
              "%s has no destination: write can-reach=ADDRESS".formatted(variable));
        }
        yield new CanReach(value);
      }
      case "kubernetes-internal-ip" -> new KubernetesInternalIp();
      default ->
          throw StartupException.badSetting(
              "%s must be first-found, interface=…, skip-interface=…, cidr=…, can-reach=… or"
                      .formatted(variable)
                  + " kubernetes-internal-ip, not "
                  + Quoted.brief(text));
    };
  }

  private static List<Pattern> patterns(String variable, String value) {
    return parts(variable, value, "a regular expression")
        .map(
            part -> {
              try {
                return GoPattern.compile(part);
              } catch (PatternSyntaxException e) {
                throw StartupException.badSetting(
                    "%s has %s, which is not a regular expression: %s"
                        .formatted(variable, Quoted.brief(part), e.getDescription()));
              }
            })
        .toList();
  }

  private static List<IpPrefix> cidrs(String variable, String value) {
    return parts(variable, value, "a network")
        .map(
            part -> {
              try {
                return IpPrefix.parse(part).network();
              } catch (IllegalArgumentException e) {
                throw StartupException.badSetting(
                    "%s is invalid: %s".formatted(variable, e.getMessage()));
              }
            })
        .toList();
  }

  private static Stream<String> parts(String variable, String value, String what) {
    List<String> parts = Stream.of(value.split(",", -1)).map(String::strip).toList();
    if (parts.contains("")) {
      throw StartupException.badSetting(
          "%s needs %s, or several with commas between".formatted(variable, what));
    }
    return parts.stream();
  }
}
