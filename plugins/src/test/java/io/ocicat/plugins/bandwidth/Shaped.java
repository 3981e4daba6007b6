package io.ocicat.plugins.bandwidth;

import io.ocicat.cni.ContainerId;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.NetworkName;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.testkit.Host;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A pod on a veth, as the previous plugin leaves it, and its state on the host. */
record Shaped(Host host, Host pod, String veth, String ifName) {
  static final String BOTH =
      "'ingressRate':8000000,'ingressBurst':8000000,'egressRate':16000000,'egressBurst':4000000";
  static final String INGRESS = "'ingressRate':8000000,'ingressBurst':8000000";
  static final String EGRESS = "'egressRate':16000000,'egressBurst':4000000";
  static final String NETWORK = "cni-plugin-bandwidth-test";

  /** With a veth pair between {@code veth0} on the host and {@code eth0} in the pod. */
  static Shaped wired(Host host, Host pod) {
    return wired(host, pod, "veth0", "eth0");
  }

  static Shaped wired(Host host, Host pod, String veth, String ifName) {
    host.exec(
        "ip link add %s up type veth peer name %s netns %s"
            .formatted(veth, ifName, pod.name())
            .split(" "));
    pod.exec("ip", "link", "set", ifName, "up");
    return new Shaped(host, pod, veth, ifName);
  }

  /** The attachment with these fields in its configuration, quoted with apostrophes. */
  Attaching with(String version, String fields) {
    String previous =
        "'prevResult':{'cniVersion':'%s','interfaces':[{'name':'%s'},{'name':'%s','sandbox':'%s'}]}"
            .formatted(version, veth, ifName, pod.path());
    return bare(version, fields + (fields.isEmpty() ? "" : ",") + previous);
  }

  /** The same without a previous result. */
  Attaching bare(String version, String fields) {
    String config =
        "{'cniVersion':'%s','name':'%s','type':'bandwidth'%s}"
            .formatted(version, NETWORK, fields.isEmpty() ? "" : "," + fields)
            .replace('\'', '"');
    return Attaching.of("bandwidth", host, pod, config).with("CNI_IFNAME", ifName);
  }

  /** The same with another previous result. */
  Attaching after(String previous, String fields) {
    return bare("1.0.0", fields + ",'prevResult':" + previous);
  }

  static Ifb ifb(Host pod, String ifName) {
    return ifb(NETWORK, pod.name(), ifName);
  }

  static Ifb ifb(String network, String container, String ifName) {
    return new Ifb(
        new AttachmentOwner(
            new NetworkName(network), new ContainerId(container), new InterfaceName(ifName)));
  }

  /** Options of the token bucket at the root of a link; missing when there is none. */
  JsonNode bucket(String link) {
    return qdisc(link, "tbf").path("options");
  }

  JsonNode qdisc(String link, String kind) {
    for (JsonNode qdisc : host.json("tc", "-j", "qdisc", "show", "dev", link)) {
      if (qdisc.path("kind").asString().equals(kind)) {
        return qdisc;
      }
    }
    return host.json("ip", "-j", "link", "show", "lo").path("nothing");
  }

  /** What {@code tc} prints about the filters for what arrives from the pod. */
  String filters() {
    String shown = host.exec("tc", "filter", "show", "dev", veth, "ingress").stdout();
    // Printed or not depending on how the last filter was added.
    return shown.replace("filter parent ffff: ", "filter ");
  }

  /** The ifbs of any pod. */
  List<String> ifbs() {
    List<String> names = new ArrayList<>();
    for (JsonNode link : host.json("ip", "-j", "link", "show", "type", "ifb")) {
      if (link.has("ifname")) {
        names.add(link.path("ifname").asString());
      }
    }
    return names;
  }

  /** All links and qdiscs of the host, for comparing before and after. */
  String everything() {
    // When a veth pair gets its carrier is up to the kernel.
    return host.exec("ip", "-o", "link").stdout().replaceAll(" state \\w+|NO-CARRIER,", "")
        + host.exec("tc", "qdisc", "show").stdout()
        + filters();
  }
}
