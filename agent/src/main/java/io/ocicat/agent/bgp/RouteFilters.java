package io.ocicat.agent.bgp;

import io.ocicat.agent.config.AgentConfig.ClusterRoutes;
import io.ocicat.agent.view.AddressBlock;
import io.ocicat.agent.view.BgpCommunity;
import io.ocicat.agent.view.BgpConfiguration;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Which routes of one family peers get, and which ones the kernel gets. */
final class RouteFilters {
  /** A pool within another has its own rules. */
  private static final Comparator<IpPrefix> LONGEST_FIRST =
      Comparator.comparingInt(IpPrefix::length).reversed().thenComparing(Comparator.naturalOrder());

  private final EffectiveBgp bgp;
  private final IpFamily family;
  private final ServicePrefixes services;
  private final Collection<String> problems;
  private final String suffix;
  private final long normal;

  RouteFilters(
      EffectiveBgp bgp, IpFamily family, ServicePrefixes services, Collection<String> problems) {
    this.bgp = bgp;
    this.family = family;
    this.services = services;
    this.problems = problems;
    this.suffix = suffix(family);
    this.normal = bgp.normalPriority(family);
  }

  /** What tells apart the names of both families. */
  static String suffix(IpFamily family) {
    return family == IpFamily.V4 ? "4" : "6";
  }

  void write(BirdText text) {
    writePriorities(text);
    writeExport(text);
    filter(text, "import", "import_priority%s(); accept;".formatted(suffix));
    for (boolean sameAs : new boolean[] {true, false}) {
      filter(
          text,
          sameAs ? "export_internal" : "export_external",
          "export_priority%s(); export_routes%s(%s); reject;".formatted(suffix, suffix, sameAs));
    }
    writeFromKernel(text);
    writeToKernel(text);
  }

  private void filter(BirdText text, String name, String body) {
    text.line("filter %s%s { %s }".formatted(name, suffix, body));
  }

  /**
   * A route's priority travels as its local preference. BIRD gives kernel routes without a metric
   * the metric 0, which must not count as the best priority.
   */
  private void writePriorities(BirdText text) {
    long sum = EffectiveBgp.PRIORITY_AND_PREFERENCE;
    text.open("function export_priority%s()".formatted(suffix));
    text.line(
        "if source = RTS_BGP && defined(bgp_local_pref) then krt_metric = %d - bgp_local_pref;"
            .formatted(sum));
    text.open("else");
    text.line("if !defined(krt_metric) then krt_metric = %d;".formatted(normal));
    text.line("if krt_metric = 0 then krt_metric = %d;".formatted(normal));
    text.line("bgp_local_pref = %d - krt_metric;".formatted(sum));
    text.close();
    text.close();
    text.open("function import_priority%s()".formatted(suffix));
    text.line(
        "if defined(bgp_local_pref) && bgp_local_pref > %d then preference = 200;"
            .formatted(sum - normal));
    text.close();
  }

  private void writeExport(BirdText text) {
    text.open("function export_routes%s(bool same_as)".formatted(suffix));
    pools().stream()
        .filter(IpPool::disableBgpExport)
        .forEach(pool -> text.line("if %s then reject;".formatted(isInHidden(pool))));
    text.open("if same_as then");
    text.line(
        "if defined(ifname) && (ifname ~ \"*.cali\" || ifname ~ \"*.calico\""
            + " || ifname ~ \"tunl0\") then reject;");
    // The agent's routes to other nodes: only those nodes may announce them.
    text.line("if source = RTS_INHERIT && !(%s) then reject;".formatted(onWorkloadInterface()));
    text.close();
    text.line("if defined(ifname) && ifname ~ \"bpf*.cali\" then reject;");
    communities()
        .forEach(
            (cidr, added) -> {
              text.line("if net ~ %s then { %s }".formatted(cidr, String.join(" ", added)));
            });
    for (IpPrefix block : blocks()) {
      text.line("if net = %s then accept;".formatted(block));
      text.line(
          "if net ~ %s then { if krt_metric > 0 && krt_metric < %d then accept; reject; }"
              .formatted(block, normal));
    }
    services
        .announced(family)
        .forEach(range -> text.line("if net ~ %s then accept;".formatted(range)));
    if (bgp.own().isReflector()) {
      services.ranges(family).stream()
          .filter(range -> !services.announced(family).contains(range))
          .forEach(range -> text.line("if net ~ %s then accept;".formatted(range)));
    }
    pools().stream()
        .filter(pool -> !pool.disableBgpExport())
        .forEach(pool -> text.line("if net ~ %s then accept;".formatted(pool.cidr())));
    text.close();
  }

  /** In a pool that is not announced, and not in a smaller one that is. */
  private String isInHidden(IpPool hidden) {
    String smaller =
        pools().stream()
            .filter(pool -> !pool.disableBgpExport())
            .map(IpPool::cidr)
            .filter(cidr -> hidden.cidr().contains(cidr) && cidr.length() > hidden.cidr().length())
            .map(cidr -> " && !(net ~ %s)".formatted(cidr))
            .collect(Collectors.joining());
    return "net ~ %s%s".formatted(hidden.cidr(), smaller);
  }

  private String onWorkloadInterface() {
    return bgp.config().interfacePrefixes().stream()
        .sorted()
        .map("ifname ~ \"%s*\""::formatted)
        .collect(Collectors.joining(" || ", "defined(ifname) && (", ")"));
  }

  /** The pools of the family, the longest prefix first; of two with one range the first by name. */
  private List<IpPool> pools() {
    Map<IpPrefix, IpPool> pools = new TreeMap<>(LONGEST_FIRST);
    bgp.view().pools().stream()
        .filter(pool -> IpFamily.of(pool.cidr().address()) == family)
        .forEach(pool -> pools.putIfAbsent(pool.cidr(), pool));
    return List.copyOf(pools.values());
  }

  /** The node's own blocks. */
  List<IpPrefix> blocks() {
    return bgp.view().blocks().values().stream()
        .filter(block -> bgp.own().name().equals(block.owner()))
        .map(AddressBlock::cidr)
        .filter(cidr -> IpFamily.of(cidr.address()) == family)
        .sorted()
        .toList();
  }

  private Map<IpPrefix, List<String>> communities() {
    boolean ofNode = !bgp.local().advertisements().isEmpty();
    BgpConfiguration from = ofNode ? bgp.local() : bgp.global();
    Map<IpPrefix, List<String>> statements = new TreeMap<>();
    for (BgpConfiguration.Advertisement advertisement : from.advertisements()) {
      if (IpFamily.of(advertisement.cidr().address()) != family) {
        continue;
      }
      List<String> added = statements.computeIfAbsent(advertisement.cidr(), _ -> new ArrayList<>());
      for (String name : advertisement.communities()) {
        String value =
            bgp.local()
                .communities()
                .getOrDefault(name, bgp.global().communities().getOrDefault(name, name));
        if (BgpCommunity.isOne(value)) {
          String statement = FilterFunctions.add(BgpCommunity.parse(value));
          if (!added.contains(statement)) {
            added.add(statement);
          }
        } else {
          problems.add(
              "BGPConfiguration %s: prefixAdvertisements of %s leaves out \"%s\": it is neither a"
                      .formatted(
                          ofNode
                              ? BgpConfiguration.nameOf(bgp.own().name())
                              : BgpConfiguration.DEFAULT,
                          advertisement.cidr(),
                          value)
                  + " community nor the name of one");
        }
      }
    }
    statements.values().removeIf(List::isEmpty);
    return statements;
  }

  /** A workload that has just moved here wins over what its old node still announces. */
  private void writeFromKernel(BirdText text) {
    text.open("filter from_kernel%s".formatted(suffix));
    text.line(
        "if %s && krt_metric > 0 && krt_metric < %d then preference = 150;"
            .formatted(onWorkloadInterface(), normal));
    text.line("accept;");
    text.close();
  }

  private void writeToKernel(BirdText text) {
    long sum = EffectiveBgp.PRIORITY_AND_PREFERENCE;
    text.open("filter to_kernel%s".formatted(suffix));
    text.line("if source = RTS_DEVICE then reject;");
    text.open("if source = RTS_BGP then");
    text.line("krt_metric = %d;".formatted(normal));
    text.line(
        "if defined(bgp_local_pref) && bgp_local_pref > %d && bgp_local_pref < %d then"
                .formatted(sum - normal, sum)
            + " krt_metric = %d - bgp_local_pref;".formatted(sum));
    text.close();
    Map<IpPrefix, String> actions = new TreeMap<>(LONGEST_FIRST);
    pools().forEach(pool -> actions.put(pool.cidr(), isBirds(pool) ? "accept" : "reject"));
    services.announced(family).forEach(range -> actions.put(range, "reject"));
    services.ranges(family).forEach(range -> actions.put(range, "reject"));
    withoutRedundant(actions)
        .forEach((range, action) -> text.line("if net ~ %s then %s;".formatted(range, action)));
    text.line("accept;");
    text.close();
  }

  /** Leaves out the addresses of services that lie in a range with the same action. */
  private static Map<IpPrefix, String> withoutRedundant(Map<IpPrefix, String> actions) {
    List<IpPrefix> ranges = actions.keySet().stream().filter(range -> !isSingle(range)).toList();
    Map<IpPrefix, String> kept = new LinkedHashMap<>();
    actions.forEach(
        (prefix, action) -> {
          boolean implied =
              isSingle(prefix)
                  && ranges.stream()
                      .filter(range -> range.contains(prefix))
                      .findFirst()
                      .filter(range -> action.equals(actions.get(range)))
                      .isPresent();
          if (!implied) {
            kept.put(prefix, action);
          }
        });
    return kept;
  }

  private static boolean isSingle(IpPrefix prefix) {
    return prefix.length() == prefix.address().bitLength();
  }

  /** Whether BIRD, not the agent, writes the routes to other nodes' blocks of the pool. */
  private boolean isBirds(IpPool pool) {
    if (pool.vxlan() != IpPool.Tunnel.NEVER || pool.ipip() != IpPool.Tunnel.NEVER) {
      return false;
    }
    boolean agents =
        switch (bgp.config().programClusterRoutes()) {
          case ENABLED, NO_ENCAP_ONLY -> true;
          case DISABLED, IPIP_ONLY -> false;
        };
    ClusterRoutes birds = bgp.global().programClusterRoutes();
    return !agents && birds != ClusterRoutes.DISABLED && birds != ClusterRoutes.IPIP_ONLY;
  }
}
