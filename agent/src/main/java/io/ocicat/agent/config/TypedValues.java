package io.ocicat.agent.config;

import static java.util.Objects.requireNonNull;

import io.ocicat.agent.filter.FilterSettings;
import java.util.Map;

/** The values in force as the types that the agent works with. */
record TypedValues(Map<String, ConfigValue> values) {

  AgentConfig config() {
    return new AgentConfig(
        get(FelixParameters.INTERFACE_PREFIX),
        get(FelixParameters.IPV6_SUPPORT),
        get(FelixParameters.IP_FORWARDING),
        get(FelixParameters.VXLAN_PORT),
        get(FelixParameters.VXLAN_VNI),
        get(FelixParameters.VXLAN_MTU),
        get(FelixParameters.VXLAN_MTU_V6),
        get(FelixParameters.MTU_IFACE_PATTERN),
        get(FelixParameters.DEVICE_ROUTE_PROTOCOL),
        get(FelixParameters.REMOVE_EXTERNAL_ROUTES),
        get(FelixParameters.ROUTE_SYNC_DISABLED),
        get(FelixParameters.IPV4_NORMAL_ROUTE_PRIORITY),
        get(FelixParameters.IPV6_NORMAL_ROUTE_PRIORITY),
        get(FelixParameters.PROGRAM_CLUSTER_ROUTES),
        get(FelixParameters.DEVICE_ROUTE_SOURCE_ADDRESS),
        get(FelixParameters.DEVICE_ROUTE_SOURCE_ADDRESS_IPV6),
        get(FelixParameters.NAT_OUTGOING_EXCLUSIONS),
        get(FelixParameters.NAT_OUTGOING_ADDRESS),
        get(FelixParameters.NAT_PORT_RANGE),
        get(FelixParameters.FLOATING_IPS),
        get(FelixParameters.SERVICE_LOOP_PREVENTION),
        get(FelixParameters.WORKLOAD_SOURCE_SPOOFING),
        get(FelixParameters.ENDPOINT_STATUS_PATH_PREFIX),
        get(FelixParameters.ROUTE_REFRESH_INTERVAL),
        get(FelixParameters.INTERFACE_REFRESH_INTERVAL),
        get(FelixParameters.NFTABLES_REFRESH_INTERVAL),
        get(FelixParameters.ENDPOINT_REPORTING_ENABLED),
        get(FelixParameters.ENDPOINT_REPORTING_DELAY),
        get(FelixParameters.HEALTH_ENABLED),
        get(FelixParameters.HEALTH_HOST),
        get(FelixParameters.HEALTH_PORT),
        get(FelixParameters.PROMETHEUS_METRICS_ENABLED),
        get(FelixParameters.PROMETHEUS_METRICS_HOST),
        get(FelixParameters.PROMETHEUS_METRICS_PORT),
        get(FelixParameters.IPIP_MTU),
        get(FelixParameters.ALLOW_VXLAN_PACKETS_FROM_WORKLOADS),
        get(FelixParameters.ALLOW_IPIP_PACKETS_FROM_WORKLOADS),
        get(FelixParameters.EXTERNAL_NODES_LIST),
        filter());
  }

  private FilterSettings filter() {
    return new FilterSettings(
        get(FelixParameters.INTERFACE_PREFIX),
        get(FelixParameters.IPV6_SUPPORT),
        get(FelixParameters.DEFAULT_ENDPOINT_TO_HOST_ACTION),
        get(FelixParameters.NFTABLES_FILTER_DENY_ACTION),
        !get(FelixParameters.DISABLE_CONNTRACK_INVALID_CHECK),
        get(FelixParameters.LOG_PREFIX),
        get(FelixParameters.FAILSAFE_INBOUND_HOST_PORTS),
        get(FelixParameters.FAILSAFE_OUTBOUND_HOST_PORTS));
  }

  private <T> T get(Parameter<T> parameter) {
    return parameter.type().reread(requireNonNull(values.get(parameter.name())).value());
  }
}
