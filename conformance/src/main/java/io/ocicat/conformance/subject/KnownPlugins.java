package io.ocicat.conformance.subject;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;

import io.ocicat.cni.CniJson;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import tools.jackson.databind.node.ObjectNode;

/** Profiles of well-known plugins by name, each with a configuration that shows what it does. */
public final class KnownPlugins {
  private static final String HOST_LOCAL =
      """
      "ipam": { "type": "host-local", "dataDir": "${data}", "ranges": [[{ "subnet": "10.88.0.0/24" }]] }
      """;

  private static final Map<String, Profile> KNOWN =
      List.of(
              of(
                      "bridge",
                      PluginKind.INTERFACE,
                      "\"bridge\": \"cnf0\", \"isDefaultGateway\": true, " + HOST_LOCAL)
                  .wiring(Wiring.NONE),
              of("ptp", PluginKind.INTERFACE, HOST_LOCAL).wiring(Wiring.NONE),
              of("macvlan", PluginKind.INTERFACE, "\"master\": \"uplink0\", " + HOST_LOCAL),
              of(
                      "flannel",
                      PluginKind.INTERFACE,
                      """
                      "subnetFile": "${data}/subnet.env", "dataDir": "${data}/flannel",
                      "ipam": { "dataDir": "${data}" }, "delegate": { "bridge": "cnf0" }
                      """)
                  .wiring(Wiring.NONE)
                  .file(
                      "subnet.env",
                      """
                      FLANNEL_NETWORK=10.88.0.0/16
                      FLANNEL_SUBNET=10.88.7.1/24
                      FLANNEL_MTU=1450
                      FLANNEL_IPMASQ=true
                      """),
              of(
                      "calico",
                      PluginKind.INTERFACE,
                      """
                      "datastore_type": "embedded", "nodename": "conformance", "nodename_file_optional": true,
                      """
                          + HOST_LOCAL)
                  .wiring(Wiring.NONE)
                  .withOwnRoutes(),
              of("loopback", PluginKind.LOOPBACK, "\"capabilities\": {}"),
              of("host-local", PluginKind.IPAM, HOST_LOCAL),
              of(
                      "static",
                      PluginKind.IPAM,
                      """
                      "ipam": { "type": "static",
                        "addresses": [{ "address": "10.88.0.5/24", "gateway": "10.88.0.1" }],
                        "routes": [{ "dst": "0.0.0.0/0" }], "dns": { "nameservers": ["10.88.0.53"] } }
                      """)
                  .loss(Damage.NOTHING),
              of(
                      "ipam",
                      PluginKind.IPAM,
                      """
                      "ipam": { "type": "ipam", "serverURL": "http://127.0.0.1:8090",
                        "token": "a-token-for-conformance", "pool": "conformance" }
                      """)
                  .loss(Damage.SERVICE),
              of(
                      "calico-ipam",
                      PluginKind.IPAM,
                      """
                      "datastore_type": "embedded", "nodename": "conformance",
                      "ipam_lock_file": "${data}/ipam.lock", "ipam": { "type": "calico-ipam" }
                      """)
                  .loss(Damage.SERVICE),
              of(
                      "portmap",
                      PluginKind.CHAINED,
                      """
                      "runtimeConfig": { "portMappings": [
                        { "hostPort": "${port}", "containerPort": 80, "protocol": "tcp" }] }
                      """)
                  .loss(Damage.HOST)
                  .keepingResult(),
              of(
                      "bandwidth",
                      PluginKind.CHAINED,
                      """
                      "ingressRate": 8000000, "ingressBurst": 8000000,
                      "egressRate": 8000000, "egressBurst": 8000000
                      """)
                  .loss(Damage.HOST),
              of("firewall", PluginKind.CHAINED, "\"backend\": \"iptables\"")
                  .loss(Damage.HOST)
                  .keepingResult(),
              of(
                      "tuning",
                      PluginKind.CHAINED,
                      """
                      "dataDir": "${data}", "mtu": 1400,
                      "sysctl": { "net.ipv4.conf.eth0.arp_filter": "1" }
                      """)
                  .loss(Damage.MTU)
                  .keepingResult(),
              of("sbr", PluginKind.CHAINED, "\"capabilities\": {}")
                  .loss(Damage.INTERFACE)
                  .keepingResult())
          .stream()
          .collect(toMap(Profile::name, identity()));

  private KnownPlugins() {}

  public static Optional<Profile> find(String plugin) {
    return Optional.ofNullable(KNOWN.get(plugin));
  }

  public static SortedSet<String> names() {
    return new TreeSet<>(KNOWN.keySet());
  }

  private static Profile of(String name, PluginKind kind, String members) {
    ObjectNode config =
        (ObjectNode) CniJson.parse("{ \"type\": \"%s\", %s }".formatted(name, members));
    return Profile.of(name, kind, config);
  }
}
