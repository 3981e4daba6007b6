package io.ocicat.plugins.firewall;

import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import java.util.ArrayList;
import java.util.List;

/** Builds a request of the firewall plugin. */
record Firewalled(
    String version, String network, String options, List<String> addresses, List<String> links) {

  static Firewalled of(String... addresses) {
    return new Firewalled("1.0.0", "mynet", "", List.of(addresses), List.of());
  }

  Firewalled inVersion(String other) {
    return new Firewalled(other, network, options, addresses, links);
  }

  Firewalled onNetwork(String other) {
    return new Firewalled(version, other, options, addresses, links);
  }

  /** With a member of the configuration, as in {@code "ingressPolicy":"isolated"}. */
  Firewalled with(String member) {
    return new Firewalled(version, network, options + "," + member, addresses, links);
  }

  /** The links on the host that the previous plugin reported, the bridge first. */
  Firewalled behind(String... hostLinks) {
    return new Firewalled(version, network, options, addresses, List.of(hostLinks));
  }

  String config() {
    return "{%s,\"prevResult\":%s}".formatted(members(), previous());
  }

  String configWithoutPrevious() {
    return "{%s}".formatted(members());
  }

  String previous() {
    String more = version.startsWith("0.") ? ",\"version\":\"%s\"" : "";
    List<String> ips = new ArrayList<>();
    for (String address : addresses) {
      ips.add(
          "{\"address\":\"%s\"%s}"
              .formatted(address, more.formatted(address.contains(":") ? "6" : "4")));
    }
    List<String> interfaces = links.stream().map("{\"name\":\"%s\"}"::formatted).toList();
    return "{\"cniVersion\":\"%s\",\"interfaces\":[%s],\"ips\":[%s]}"
        .formatted(version, String.join(",", interfaces), String.join(",", ips));
  }

  private String members() {
    return "\"cniVersion\":\"%s\",\"name\":\"%s\",\"type\":\"firewall\"%s"
        .formatted(version, network, options);
  }

  Attaching attach(Host host, Host pod) {
    return Attaching.of("firewall", host, pod, config());
  }
}
