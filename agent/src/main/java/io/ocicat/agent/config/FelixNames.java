package io.ocicat.agent.config;

import io.ocicat.datastore.model.Shapes;
import io.ocicat.datastore.resource.EditDistance;
import io.ocicat.datastore.resource.Kind;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The names of all of Felix's parameters. A parameter has a name in the resource, and one in the
 * environment and in the file, where case does not matter. Nearly always they are the same.
 */
final class FelixNames {
  private static final int MISTYPED = 3;

  /** The parameters with another name in the environment, by their field. */
  private static final Map<String, String> IRREGULAR =
      Map.ofEntries(
          Map.entry("ipipEnabled", "IpInIpEnabled"),
          Map.entry("ipipMTU", "IpInIpMtu"),
          Map.entry("reportingInterval", "ReportingIntervalSecs"),
          Map.entry("reportingTTL", "ReportingTTLSecs"),
          Map.entry("endpointReportingDelay", "EndpointReportingDelaySecs"),
          Map.entry("externalNodesList", "ExternalNodesCIDRList"),
          Map.entry("iptablesLockProbeInterval", "IptablesLockProbeIntervalMillis"),
          Map.entry("iptablesPostWriteCheckInterval", "IptablesPostWriteCheckIntervalSecs"),
          Map.entry("netlinkTimeout", "NetlinkTimeoutSecs"),
          Map.entry("usageReportingInitialDelay", "UsageReportingInitialDelaySecs"),
          Map.entry("usageReportingInterval", "UsageReportingIntervalSecs"),
          Map.entry("wireguardKeepAlive", "WireguardPersistentKeepAlive"),
          Map.entry("bpfConntrackMode", "BPFConntrackCleanupMode"));

  /** The parameters that no resource can set. */
  private static final List<String> LOCAL =
      List.of(
          "calicoVersion",
          "clusterGUID",
          "clusterType",
          "datastoreType",
          "debugBPFCgroupV2",
          "debugCPUProfilePath",
          "debugPanicAfter",
          "debugSimulateDataRace",
          "etcdAddr",
          "etcdCaFile",
          "etcdCertFile",
          "etcdEndpoints",
          "etcdKeyFile",
          "etcdScheme",
          "felixHostname",
          "ipInIpTunnelAddr",
          "ipv4VXLANTunnelAddr",
          "ipv6VXLANTunnelAddr",
          "typhaAddr",
          "typhaCAFile",
          "typhaCN",
          "typhaCertFile",
          "typhaK8sNamespace",
          "typhaK8sServiceName",
          "typhaKeyFile",
          "typhaReadTimeout",
          "typhaURISAN",
          "typhaWriteTimeout",
          "variant",
          "vxlanTunnelMACAddr",
          "vxlanTunnelMACAddrV6");

  /** By the name in the environment, in lower case. */
  private static final Map<String, String> BY_KEY = new HashMap<>();

  static {
    for (List<String> names : List.of(Shapes.specMembers(Kind.FELIX_CONFIGURATION), LOCAL)) {
      names.forEach(name -> BY_KEY.put(key(name).toLowerCase(Locale.ROOT), name));
    }
    BY_KEY.remove("nodeselector");
  }

  private FelixNames() {}

  /** The name in the environment of the parameter with this field. */
  static String key(String name) {
    return IRREGULAR.getOrDefault(name, name);
  }

  /** The parameter that has this name in the environment, in any case. */
  static Optional<String> ofKey(String key) {
    return Optional.ofNullable(BY_KEY.get(key.toLowerCase(Locale.ROOT)));
  }

  static boolean isField(String name) {
    return name.equals(BY_KEY.get(key(name).toLowerCase(Locale.ROOT))) && !LOCAL.contains(name);
  }

  /** The name in the environment that somebody may have meant by this one. */
  static Optional<String> like(String key) {
    String wanted = key.toLowerCase(Locale.ROOT);
    return BY_KEY.entrySet().stream()
        .filter(
            known ->
                known.getValue().toLowerCase(Locale.ROOT).equals(wanted)
                    || EditDistance.distance(known.getKey(), wanted) <= MISTYPED)
        .min(
            Comparator.<Map.Entry<String, String>>comparingInt(
                    known ->
                        known.getValue().toLowerCase(Locale.ROOT).equals(wanted)
                            ? 0
                            : EditDistance.distance(known.getKey(), wanted))
                .thenComparing(Map.Entry::getKey))
        .map(known -> key(known.getValue()));
  }
}
