package io.ocicat.agent.view;

import io.ocicat.agent.config.AgentConfig.ClusterRoutes;
import io.ocicat.base.Quoted;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpPrefix;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A BGPConfiguration, of the cluster ({@code default}) or of one node ({@code node.<name>}). What
 * is not given is null or empty.
 *
 * @param port on which nodes listen; 0 when it is not given
 * @param logSeverity in lower case
 * @param communities by name, as written
 * @param programClusterRoutes which routes to other nodes' blocks BIRD programs
 * @param normalPriorityV4 the metric of ordinary routes; 0 when it is not given
 * @param problems the items of lists that are left out because they are not valid, with the reason
 */
public record BgpConfiguration(
    @Nullable Long asNumber,
    @Nullable Boolean mesh,
    int port,
    String logSeverity,
    Map<String, String> communities,
    List<Advertisement> advertisements,
    List<IpPrefix> clusterIps,
    List<IpPrefix> externalIps,
    List<IpPrefix> loadBalancerIps,
    boolean aggregatesLoadBalancerIps,
    @Nullable SecretEntry meshPassword,
    @Nullable Duration meshMaxRestartTime,
    boolean bindsNodeAddress,
    List<String> ignoredInterfaces,
    @Nullable ClusterRoutes programClusterRoutes,
    int normalPriorityV4,
    int normalPriorityV6,
    List<String> problems) {
  /** The name of the cluster's. */
  public static final String DEFAULT = "default";

  private static final Pattern INTERFACE = Pattern.compile("(?!\\*$)[a-zA-Z0-9_.*-]{1,15}");
  private static final int MAX_PORT = 65535;
  private static final int MAX_PRIORITY = 2147483646;

  /** A BGPConfiguration in which nothing is given. */
  public static final BgpConfiguration EMPTY =
      new BgpConfiguration(
          null, null, 0, "", Map.of(), List.of(), List.of(), List.of(), List.of(), true, null, null,
          false, List.of(), null, 0, 0, List.of());

  /** The communities of the routes in a network: values, or names of them. */
  public record Advertisement(IpPrefix cidr, List<String> communities) {
    public Advertisement {
      communities = List.copyOf(communities);
    }
  }

  public BgpConfiguration {
    communities = Map.copyOf(communities);
    advertisements = List.copyOf(advertisements);
    clusterIps = List.copyOf(clusterIps);
    externalIps = List.copyOf(externalIps);
    loadBalancerIps = List.copyOf(loadBalancerIps);
    ignoredInterfaces = List.copyOf(ignoredInterfaces);
    problems = List.copyOf(problems);
  }

  /** The name of the one for a node. */
  public static String nameOf(String node) {
    return "node." + node;
  }

  static BgpConfiguration of(Resource resource) {
    return BgpValues.read(resource, BgpConfiguration::read);
  }

  private static BgpConfiguration read(JsonNode spec) {
    List<String> problems = new ArrayList<>();
    Map<String, String> communities = new TreeMap<>();
    for (JsonNode item : spec.path("communities").values()) {
      communities.put(BgpValues.text(item, "name"), BgpValues.text(item, "value"));
    }
    return new BgpConfiguration(
        BgpValues.asNumber(spec, "asNumber"),
        BgpValues.flag(spec, "nodeToNodeMeshEnabled"),
        orZero(BgpValues.whole(spec, "listenPort", 0, MAX_PORT)),
        BgpValues.text(spec, "logSeverityScreen").toLowerCase(Locale.ROOT),
        communities,
        items(
            spec,
            "prefixAdvertisements",
            problems,
            (item, cidr) -> new Advertisement(cidr, BgpValues.texts(item, "communities"))),
        items(spec, "serviceClusterIPs", problems, (_, cidr) -> cidr),
        items(spec, "serviceExternalIPs", problems, (_, cidr) -> cidr),
        items(spec, "serviceLoadBalancerIPs", problems, (_, cidr) -> cidr),
        !BgpValues.text(spec, "serviceLoadBalancerAggregation").equals("Disabled"),
        BgpValues.password(spec, "nodeMeshPassword"),
        BgpValues.duration(spec, "nodeMeshMaxRestartTime"),
        BgpValues.text(spec, "bindMode").equals("NodeIP"),
        ignoredInterfaces(spec, problems),
        clusterRoutes(BgpValues.text(spec, "programClusterRoutes")),
        orZero(BgpValues.whole(spec, "ipv4NormalRoutePriority", 1, MAX_PRIORITY)),
        orZero(BgpValues.whole(spec, "ipv6NormalRoutePriority", 1, MAX_PRIORITY)),
        problems);
  }

  private static int orZero(@Nullable Integer value) {
    return value == null ? 0 : value;
  }

  private static <T> List<T> items(
      JsonNode spec,
      String field,
      List<String> problems,
      BiFunction<JsonNode, IpPrefix, T> reader) {
    List<T> items = new ArrayList<>();
    for (JsonNode item : spec.path(field).values()) {
      try {
        items.add(reader.apply(item, BgpValues.network("cidr", BgpValues.text(item, "cidr"))));
      } catch (IllegalArgumentException e) {
        problems.add("an item of %s is left out: %s".formatted(field, e.getMessage()));
      }
    }
    return items;
  }

  private static List<String> ignoredInterfaces(JsonNode spec, List<String> problems) {
    List<String> patterns = new ArrayList<>();
    for (String pattern : BgpValues.texts(spec, "ignoredInterfaces")) {
      if (INTERFACE.matcher(pattern).matches()) {
        patterns.add(pattern);
      } else {
        problems.add(
            "an item of ignoredInterfaces is left out: %s is not a pattern of interface names"
                .formatted(Quoted.brief(pattern)));
      }
    }
    return patterns;
  }

  /** A value of a later version is like none. */
  private static @Nullable ClusterRoutes clusterRoutes(String text) {
    return switch (text) {
      case "Enabled" -> ClusterRoutes.ENABLED;
      case "Disabled" -> ClusterRoutes.DISABLED;
      case "EnabledIPIPOnly" -> ClusterRoutes.IPIP_ONLY;
      case "EnabledNoEncapOnly" -> ClusterRoutes.NO_ENCAP_ONLY;
      default -> null;
    };
  }
}
