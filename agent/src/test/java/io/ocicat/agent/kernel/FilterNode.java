package io.ocicat.agent.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.filter.EndpointRules;
import io.ocicat.agent.filter.FilterRule;
import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.agent.filter.FilterSettings.ToHost;
import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.filter.TierRules;
import io.ocicat.agent.filter.WorkloadFilter;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.testkit.Host;
import java.util.ArrayList;
import java.util.List;

/** A node with pods and the reconciler of its packet filter, whose desired state a test writes. */
final class FilterNode implements AutoCloseable {
  static final EndpointRules OPEN = rules(List.of(), List.of(profile("open")));
  static final FilterSettings SETTINGS =
      new FilterSettings(
          List.of("cali"), true, ToHost.ACCEPT, false, true, "calico-packet", List.of(), List.of());

  final Host host;
  final DesiredFilter filter = new DesiredFilter();
  final List<String> log = new ArrayList<>();
  private final NetNs namespace;
  private final NetlinkSocket route;
  private NetlinkSocket netfilter;
  private final LinkTable links = new LinkTable(System::nanoTime);
  private FilterReconciler reconciler;

  FilterNode(Host host) {
    this.host = host;
    this.namespace = NetNs.open(host.path());
    this.route = NetlinkSocket.open(Protocol.ROUTE, namespace);
    this.netfilter = NetlinkSocket.open(Protocol.NETFILTER, namespace);
    this.reconciler = reconciler();
    host.exec(
        "sh",
        "-c",
        "echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding");
    filter.setSettings(SETTINGS);
    filter.setRules(profile("open"), List.of(FilterRule.all(0, PolicyAction.ALLOW)));
    filter.setRules(
        new RuleListId("pro//open", PolicyDirection.EGRESS),
        List.of(FilterRule.all(0, PolicyAction.ALLOW)));
  }

  private FilterReconciler reconciler() {
    return new FilterReconciler(netfilter, filter, links, log::add, System::nanoTime);
  }

  static RuleListId profile(String name) {
    return new RuleListId("pro//" + name, PolicyDirection.INGRESS);
  }

  static RuleListId policy(String name) {
    return new RuleListId("np/default/" + name, PolicyDirection.INGRESS);
  }

  static EndpointRules rules(List<TierRules> tiers, List<RuleListId> profiles) {
    return new EndpointRules(tiers, profiles, EndpointRules.End.DROP);
  }

  /** The policies alone, in one tier that ends with a drop. */
  static EndpointRules only(String... policies) {
    return rules(
        List.of(
            new TierRules(
                "default", List.of(policies).stream().map(FilterNode::policy).toList(), false)),
        List.of());
  }

  /** A pod whose addresses are 10.65.0.number and fd00:65::number. */
  FilterPod pod(Host pod, int number) {
    FilterPod made = FilterPod.connect(this, pod, number);
    endpoint(made, OPEN, OPEN);
    return made;
  }

  void endpoint(FilterPod pod, EndpointRules ingress, EndpointRules egress) {
    filter.setWorkload(
        new WorkloadFilter(pod.link(), "default/" + pod.link(), ingress, egress, List.of()));
  }

  FilterReconciler reconciler(boolean restarted) {
    if (restarted) {
      netfilter.close();
      netfilter = NetlinkSocket.open(Protocol.NETFILTER, namespace);
      reconciler = reconciler();
      filter.takeChanges();
    }
    return reconciler;
  }

  FilterReconciler now() {
    return reconciler;
  }

  /** Applies what is desired, without problems. */
  void apply() {
    tryApply();
    assertThat(reconciler.problems()).isEmpty();
  }

  void tryApply() {
    links.replaceAll(route.list(Links.all()), route.list(Addresses.list()));
    reconciler.linksChanged();
    reconciler.apply();
  }

  String table() {
    return host.exec("nft", "list", "table", "inet", "ocicat_policy").stdout();
  }

  @Override
  public void close() {
    netfilter.close();
    route.close();
    namespace.close();
  }
}
