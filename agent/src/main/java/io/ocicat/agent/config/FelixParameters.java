package io.ocicat.agent.config;

import static java.util.Map.entry;

import io.ocicat.agent.config.AgentConfig.ClusterRoutes;
import io.ocicat.agent.config.AgentConfig.ServiceLoopPrevention;
import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The parameters that the agent acts on: a table of names, types and defaults. */
final class FelixParameters {
  private static final int MAX_PORT = 0xffff;
  private static final int MAX_VNI = 0xff_ffff;
  private static final int MIN_MTU_V4 = 68;
  private static final int MIN_MTU_V6 = 1280;

  /**
   * 0 to 2 are the kernel's: the agent would remove routes of the kernel that it takes for its own.
   */
  private static final int MIN_PROTOCOL = 3;

  private static final int MAX_PROTOCOL = 0xff;
  private static final int MAX_PRIORITY = Integer.MAX_VALUE - 1;
  private static final ValueType<Boolean> ENABLED =
      ValueType.oneOf(List.of(entry("Enabled", true), entry("Disabled", false)));

  static final Parameter<List<String>> INTERFACE_PREFIX =
      Parameter.of("interfacePrefix", ValueType.INTERFACE_PREFIXES, List.of("cali"));
  static final Parameter<Boolean> IPV6_SUPPORT = Parameter.of("ipv6Support", ValueType.FLAG, true);
  static final Parameter<Boolean> IP_FORWARDING = Parameter.of("ipForwarding", ENABLED, true);
  static final Parameter<Integer> VXLAN_PORT =
      Parameter.of("vxlanPort", ValueType.whole(1, MAX_PORT), 4789);
  static final Parameter<Integer> VXLAN_VNI =
      Parameter.of("vxlanVNI", ValueType.whole(0, MAX_VNI), 4096);
  static final Parameter<Integer> VXLAN_MTU =
      Parameter.of("vxlanMTU", ValueType.mtu(MIN_MTU_V4), 0);
  static final Parameter<Integer> VXLAN_MTU_V6 =
      Parameter.of("vxlanMTUV6", ValueType.mtu(MIN_MTU_V6), 0);
  static final Parameter<Integer> IPIP_MTU = Parameter.of("ipipMTU", ValueType.mtu(MIN_MTU_V4), 0);
  static final Parameter<Pattern> MTU_IFACE_PATTERN =
      Parameter.of(
          "mtuIfacePattern",
          ValueType.REGEX,
          Pattern.compile("^((en|wl|ww|sl|ib)[Pcopsvx].*|(eth|wlan|wwan).*)"));
  static final Parameter<Integer> DEVICE_ROUTE_PROTOCOL =
      Parameter.of("deviceRouteProtocol", ValueType.whole(MIN_PROTOCOL, MAX_PROTOCOL), 3);
  static final Parameter<Boolean> REMOVE_EXTERNAL_ROUTES =
      Parameter.of("removeExternalRoutes", ValueType.FLAG, true);
  static final Parameter<Boolean> ROUTE_SYNC_DISABLED =
      Parameter.of("routeSyncDisabled", ValueType.FLAG, false);
  static final Parameter<Integer> IPV4_NORMAL_ROUTE_PRIORITY =
      Parameter.of("ipv4NormalRoutePriority", ValueType.whole(1, MAX_PRIORITY), 1024);
  static final Parameter<Integer> IPV6_NORMAL_ROUTE_PRIORITY =
      Parameter.of("ipv6NormalRoutePriority", ValueType.whole(1, MAX_PRIORITY), 1024);

  /**
   * Felix leaves these routes to BIRD by default. Without BIRD nobody else would program them, and
   * BIRD 2 knows no IPIP.
   */
  static final Parameter<ClusterRoutes> PROGRAM_CLUSTER_ROUTES =
      new Parameter<>(
          "programClusterRoutes",
          ValueType.oneOf(
              List.of(
                  entry("Enabled", ClusterRoutes.ENABLED),
                  entry("Disabled", ClusterRoutes.DISABLED),
                  entry("EnabledIPIPOnly", ClusterRoutes.IPIP_ONLY),
                  entry("EnabledNoEncapOnly", ClusterRoutes.NO_ENCAP_ONLY))),
          environment ->
              environment.getOrDefault("CALICO_NETWORKING_BACKEND", "").strip().equals("bird")
                  ? ClusterRoutes.IPIP_ONLY
                  : ClusterRoutes.ENABLED);

  static final Parameter<Optional<IpAddress>> DEVICE_ROUTE_SOURCE_ADDRESS =
      Parameter.of("deviceRouteSourceAddress", ValueType.IPV4, Optional.empty());
  static final Parameter<Optional<IpAddress>> DEVICE_ROUTE_SOURCE_ADDRESS_IPV6 =
      Parameter.of("deviceRouteSourceAddressIPv6", ValueType.IPV6, Optional.empty());
  static final Parameter<Boolean> NAT_OUTGOING_EXCLUSIONS =
      Parameter.of(
          "natOutgoingExclusions",
          ValueType.oneOf(List.of(entry("IPPoolsOnly", false), entry("IPPoolsAndHostIPs", true))),
          false);
  static final Parameter<Optional<IpAddress>> NAT_OUTGOING_ADDRESS =
      Parameter.of("natOutgoingAddress", ValueType.IPV4, Optional.empty());
  static final Parameter<String> NAT_PORT_RANGE =
      Parameter.of("natPortRange", ValueType.PORT_RANGE, "");
  static final Parameter<Boolean> FLOATING_IPS = Parameter.of("floatingIPs", ENABLED, false);
  static final Parameter<ServiceLoopPrevention> SERVICE_LOOP_PREVENTION =
      Parameter.of(
          "serviceLoopPrevention",
          ValueType.oneOf(
              List.of(
                  entry("Drop", ServiceLoopPrevention.DROP),
                  entry("Reject", ServiceLoopPrevention.REJECT),
                  entry("Disabled", ServiceLoopPrevention.DISABLED))),
          ServiceLoopPrevention.DROP);
  static final Parameter<Boolean> WORKLOAD_SOURCE_SPOOFING =
      Parameter.of(
          "workloadSourceSpoofing",
          ValueType.oneOf(List.of(entry("Disabled", false), entry("Any", true))),
          false);
  static final Parameter<Path> ENDPOINT_STATUS_PATH_PREFIX =
      Parameter.of("endpointStatusPathPrefix", ValueType.FOLDER, Path.of("/var/run/calico"));
  static final Parameter<Duration> ROUTE_REFRESH_INTERVAL =
      Parameter.of("routeRefreshInterval", ValueType.INTERVAL, Duration.ofSeconds(90));
  static final Parameter<Duration> INTERFACE_REFRESH_INTERVAL =
      Parameter.of("interfaceRefreshInterval", ValueType.INTERVAL, Duration.ofSeconds(90));
  static final Parameter<Duration> NFTABLES_REFRESH_INTERVAL =
      Parameter.of("nftablesRefreshInterval", ValueType.INTERVAL, Duration.ofMinutes(3));
  static final Parameter<Boolean> ENDPOINT_REPORTING_ENABLED =
      Parameter.of("endpointReportingEnabled", ValueType.FLAG, false);
  static final Parameter<Duration> ENDPOINT_REPORTING_DELAY =
      Parameter.of("endpointReportingDelay", ValueType.INTERVAL, Duration.ofSeconds(1));
  static final Parameter<Boolean> HEALTH_ENABLED =
      Parameter.of("healthEnabled", ValueType.FLAG, false);
  static final Parameter<String> HEALTH_HOST =
      Parameter.of("healthHost", ValueType.HOST_ADDRESS, "localhost");
  static final Parameter<Integer> HEALTH_PORT =
      Parameter.of("healthPort", ValueType.whole(0, MAX_PORT), 9099);
  static final Parameter<Boolean> PROMETHEUS_METRICS_ENABLED =
      Parameter.of("prometheusMetricsEnabled", ValueType.FLAG, false);
  static final Parameter<String> PROMETHEUS_METRICS_HOST =
      Parameter.of("prometheusMetricsHost", ValueType.HOST_ADDRESS, "");
  static final Parameter<Integer> PROMETHEUS_METRICS_PORT =
      Parameter.of("prometheusMetricsPort", ValueType.whole(0, MAX_PORT), 9091);

  static final Parameter<Boolean> ALLOW_VXLAN_PACKETS_FROM_WORKLOADS =
      Parameter.of("allowVXLANPacketsFromWorkloads", ValueType.FLAG, false);
  static final Parameter<Boolean> ALLOW_IPIP_PACKETS_FROM_WORKLOADS =
      Parameter.of("allowIPIPPacketsFromWorkloads", ValueType.FLAG, false);
  static final Parameter<List<IpPrefix>> EXTERNAL_NODES_LIST =
      Parameter.of("externalNodesList", ValueType.PREFIXES, List.of());

  static final Parameter<FilterSettings.ToHost> DEFAULT_ENDPOINT_TO_HOST_ACTION =
      Parameter.of(
          "defaultEndpointToHostAction",
          ValueType.oneOf(
              List.of(
                  entry("Drop", FilterSettings.ToHost.DROP),
                  entry("Accept", FilterSettings.ToHost.ACCEPT),
                  entry("Return", FilterSettings.ToHost.RETURN))),
          FilterSettings.ToHost.DROP);

  /** Whether denied packets are answered. */
  static final Parameter<Boolean> NFTABLES_FILTER_DENY_ACTION =
      Parameter.of(
          "nftablesFilterDenyAction",
          ValueType.oneOf(List.of(entry("Drop", false), entry("Reject", true))),
          false);

  static final Parameter<Boolean> DISABLE_CONNTRACK_INVALID_CHECK =
      Parameter.of("disableConntrackInvalidCheck", ValueType.FLAG, false);
  static final Parameter<String> LOG_PREFIX =
      Parameter.of("logPrefix", ValueType.LOG_PREFIX, "calico-packet");
  static final Parameter<List<FilterSettings.Failsafe>> FAILSAFE_INBOUND_HOST_PORTS =
      Parameter.of("failsafeInboundHostPorts", FailsafePorts.TYPE, FailsafePorts.INBOUND);
  static final Parameter<List<FilterSettings.Failsafe>> FAILSAFE_OUTBOUND_HOST_PORTS =
      Parameter.of("failsafeOutboundHostPorts", FailsafePorts.TYPE, FailsafePorts.OUTBOUND);

  static final List<Parameter<?>> ALL =
      List.of(
          INTERFACE_PREFIX,
          IPV6_SUPPORT,
          IP_FORWARDING,
          VXLAN_PORT,
          VXLAN_VNI,
          VXLAN_MTU,
          VXLAN_MTU_V6,
          IPIP_MTU,
          MTU_IFACE_PATTERN,
          DEVICE_ROUTE_PROTOCOL,
          REMOVE_EXTERNAL_ROUTES,
          ROUTE_SYNC_DISABLED,
          IPV4_NORMAL_ROUTE_PRIORITY,
          IPV6_NORMAL_ROUTE_PRIORITY,
          PROGRAM_CLUSTER_ROUTES,
          DEVICE_ROUTE_SOURCE_ADDRESS,
          DEVICE_ROUTE_SOURCE_ADDRESS_IPV6,
          NAT_OUTGOING_EXCLUSIONS,
          NAT_OUTGOING_ADDRESS,
          NAT_PORT_RANGE,
          FLOATING_IPS,
          SERVICE_LOOP_PREVENTION,
          WORKLOAD_SOURCE_SPOOFING,
          ENDPOINT_STATUS_PATH_PREFIX,
          ROUTE_REFRESH_INTERVAL,
          INTERFACE_REFRESH_INTERVAL,
          NFTABLES_REFRESH_INTERVAL,
          ENDPOINT_REPORTING_ENABLED,
          ENDPOINT_REPORTING_DELAY,
          HEALTH_ENABLED,
          HEALTH_HOST,
          HEALTH_PORT,
          PROMETHEUS_METRICS_ENABLED,
          PROMETHEUS_METRICS_HOST,
          ALLOW_VXLAN_PACKETS_FROM_WORKLOADS,
          ALLOW_IPIP_PACKETS_FROM_WORKLOADS,
          EXTERNAL_NODES_LIST,
          DEFAULT_ENDPOINT_TO_HOST_ACTION,
          NFTABLES_FILTER_DENY_ACTION,
          DISABLE_CONNTRACK_INVALID_CHECK,
          LOG_PREFIX,
          FAILSAFE_INBOUND_HOST_PORTS,
          FAILSAFE_OUTBOUND_HOST_PORTS,
          PROMETHEUS_METRICS_PORT);

  private FelixParameters() {}
}
