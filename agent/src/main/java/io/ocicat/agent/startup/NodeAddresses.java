package io.ocicat.agent.startup;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The node's addresses.
 *
 * @param warnings what is wrong with an address that stays nevertheless, one line each
 */
record NodeAddresses(
    Optional<NodeAddress> ipv4, Optional<NodeAddress> ipv6, List<String> warnings) {
  NodeAddresses {
    warnings = List.copyOf(warnings);
  }

  /**
   * Determines the addresses from the settings, from the host, and from what the Node has.
   *
   * @param storedV4 what the Node has; empty for nothing
   * @throws StartupException when there is none, or a setting is invalid
   */
  static NodeAddresses determine(
      StartupSettings settings, AddressAutodetection host, String storedV4, String storedV6) {
    List<String> warnings = new ArrayList<>();
    List<StartupException> failures = new ArrayList<>();
    Optional<NodeAddress> ipv4 = address(settings, host, IpFamily.V4, storedV4, warnings, failures);
    Optional<NodeAddress> ipv6 = address(settings, host, IpFamily.V6, storedV6, warnings, failures);
    if (ipv4.isEmpty() && ipv6.isEmpty()) {
      throw failures.isEmpty()
          ? new StartupException(
              StartupException.Reason.NO_ADDRESS,
              "the node has neither an IPv4 nor an IPv6 address: set IP or IP6 to an address or to"
                  + " autodetect")
          : failures.getFirst();
    }
    return new NodeAddresses(ipv4, ipv6, warnings);
  }

  /** Without a setting, IPv4 is detected once and IPv6 is not used. */
  private static Optional<NodeAddress> address(
      StartupSettings settings,
      AddressAutodetection host,
      IpFamily family,
      String stored,
      List<String> warnings,
      List<StartupException> failures) {
    String wanted = settings.address(family);
    boolean detected =
        wanted.equals("autodetect")
            || (wanted.isEmpty() && stored.isEmpty() && family == IpFamily.V4);
    if (!detected) {
      return wanted.isEmpty() || wanted.equals("none")
          ? kept(family, wanted, NodeAddress.stored(stored, host), warnings)
          : Optional.of(explicit(host, family, wanted));
    }
    String variable = StartupSettings.methodVariable(family);
    try {
      return Optional.of(NodeAddress.of(host.detect(family, variable, settings.text(variable))));
    } catch (StartupException e) {
      failures.add(e);
      Optional<NodeAddress> last = NodeAddress.stored(stored, host);
      warnings.add(
          e.getMessage()
              + last.map(address -> "; %s stays the node's address".formatted(address.text()))
                  .orElse("; the node has no %s address".formatted(family)));
      return last;
    }
  }

  /** An address that was detected once does not follow the host, which is rarely what is wanted. */
  private static Optional<NodeAddress> kept(
      IpFamily family, String wanted, Optional<NodeAddress> stored, List<String> warnings) {
    if (wanted.isEmpty()) {
      stored
          .filter(address -> address.interfaceName().isEmpty())
          .ifPresent(
              address ->
                  warnings.add(
                      "no interface has the node's address %s: set %s=autodetect for the one that the host has now"
                          .formatted(address.text(), StartupSettings.addressVariable(family))));
    }
    return stored;
  }

  private static NodeAddress explicit(AddressAutodetection host, IpFamily family, String text) {
    Optional<IpPrefix> prefix = IpPrefix.tryParse(text);
    IpAddress address =
        prefix
            .map(IpPrefix::address)
            .or(() -> IpAddress.tryParse(text))
            .filter(it -> IpFamily.of(it) == family)
            .orElseThrow(
                () ->
                    StartupException.badSetting(
                        "%s must be an %s address, autodetect or none, not \"%s\""
                            .formatted(StartupSettings.addressVariable(family), family, text)));
    Optional<AddressAutodetection.Detected> local = host.find(address);
    String name = local.map(AddressAutodetection.Detected::interfaceName).orElse("");
    if (prefix.isPresent()) {
      return new NodeAddress(text, prefix.get(), name);
    }
    return local
        .map(NodeAddress::of)
        .orElseGet(() -> new NodeAddress(text, IpPrefix.host(address), ""));
  }
}
