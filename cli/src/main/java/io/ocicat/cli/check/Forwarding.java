package io.ocicat.cli.check;

import io.ocicat.cli.check.Discrepancy.Kind;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.ns.Sysctl;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks whether a host passes packets on between its interfaces. */
final class Forwarding {
  private Forwarding() {}

  /**
   * The setting that is off; one is enough.
   *
   * @param entrance by which packets of containers arrive, whose own setting counts as well
   */
  static List<Discrepancy> off(NamespaceState host, IpFamily family, Optional<Link> entrance) {
    String version = family == IpFamily.V4 ? "ipv4" : "ipv6";
    List<Sysctl> settings = new ArrayList<>();
    settings.add(
        family == IpFamily.V4
            ? Sysctl.of("net", "ipv4", "ip_forward")
            : Sysctl.of("net", "ipv6", "conf", "all", "forwarding"));
    entrance.ifPresent(
        link -> settings.add(Sysctl.of("net", version, "conf", link.name(), "forwarding")));
    return settings.stream()
        .filter(host::isOff)
        .limit(1)
        .map(
            setting ->
                new Discrepancy(
                    Kind.FORWARDING,
                    name(setting),
                    "0, so the host passes nothing on for its containers",
                    "",
                    "`sysctl -w %s=1`, and find out who set it to 0".formatted(name(setting))))
        .toList();
  }

  /** As sysctl(8) accepts it; names of interfaces may have dots. */
  static String name(Sysctl setting) {
    boolean dotted = setting.path().stream().anyMatch(part -> part.contains("."));
    return String.join(dotted ? "/" : ".", setting.path());
  }
}
