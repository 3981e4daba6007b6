package io.ocicat.agent.policy;

import static io.ocicat.agent.policy.model.PolicyYaml.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.EndpointRules;
import io.ocicat.agent.filter.FilterChanges;
import io.ocicat.agent.filter.FilterRule;
import io.ocicat.agent.filter.HostFilter;
import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.filter.SetMember;
import io.ocicat.agent.filter.TierRules;
import io.ocicat.agent.filter.WorkloadFilter;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What becomes of policies, profiles, endpoints and sets on one node. */
class PolicyCalculationTest {
  private final PolicyCalculation calculation = Calculations.of("n1", true, List.of());

  private void put(Resource... resources) {
    for (Resource resource : resources) {
      calculation.apply(Calculations.put(resource));
    }
    calculation.update();
  }

  private void delete(ResourceKey key) {
    calculation.apply(Calculations.delete(key));
    calculation.update();
  }

  private static Resource pod(String name, String node, int number, String labels) {
    String namespace = name.substring(0, name.indexOf('/'));
    String pod = name.substring(name.indexOf('/') + 1);
    return resource(
        Kind.WORKLOAD_ENDPOINT,
        "%s/%s-k8s-%s-eth0".formatted(namespace, node, pod),
        """
        metadata: {labels: {%s}}
        spec: {node: %s, orchestrator: k8s, pod: %s, endpoint: eth0, interfaceName: cali%d,
          ipNetworks: [10.0.0.%d], profiles: [kns.%s],
          ports: [{name: http, protocol: TCP, port: 80}]}
        """
            .formatted(labels, node, pod, number, number, namespace));
  }

  private static Resource policy(String name, String spec) {
    return resource(
        name.contains("/") ? Kind.NETWORK_POLICY : Kind.GLOBAL_NETWORK_POLICY,
        name,
        "spec: {%s}".formatted(spec));
  }

  private WorkloadFilter workload(String interfaceName) {
    return Objects.requireNonNull(calculation.filter().workloads().get(interfaceName));
  }

  private HostFilter host(String name) {
    return Objects.requireNonNull(calculation.filter().hosts().get(name));
  }

  private static List<String> order(EndpointRules rules) {
    List<String> order = new ArrayList<>();
    for (TierRules tier : rules.tiers()) {
      order.add(tier.tier() + (tier.passes() ? "+" : ""));
      tier.policies().forEach(policy -> order.add(policy.owner()));
    }
    rules.profiles().forEach(profile -> order.add(profile.owner()));
    return order;
  }

  private List<SetMember> members() {
    return calculation.filter().sets().values().stream().flatMap(Set::stream).toList();
  }

  private static SetMember network(String prefix) {
    return new SetMember.Network(IpPrefix.parse(prefix));
  }

  @Test
  void saysNothingBeforeEverythingIsListed() {
    PolicyCalculation early = new PolicyCalculation("n1", false);
    early.configure(Calculations.SETTINGS, false);
    for (Kind kind : early.kinds()) {
      early.update();
      assertThat(early.filter().settings()).isEmpty();
      early.apply(Calculations.list(kind, List.of(pod("a/p", "n1", 1, ""))));
    }
    assertThat(early.isComplete()).isTrue();
    assertThat(early.filter().workloads()).isEmpty();
    early.update();
    assertThat(early.filter().settings()).contains(Calculations.SETTINGS);
    assertThat(early.filter().workloads()).containsOnlyKeys("cali1");
  }

  @Test
  void aPodWithoutPoliciesHasItsProfile() {
    put(pod("a/p", "n1", 1, ""), pod("a/q", "n2", 2, ""));
    assertThat(calculation.filter().workloads()).containsOnlyKeys("cali1");
    assertThat(order(workload("cali1").ingress())).containsExactly("pro//kns.a");
    assertThat(workload("cali1").ingress().end()).isEqualTo(EndpointRules.End.DROP);
    assertThat(calculation.filter().ruleLists())
        .containsEntry(
            new RuleListId("pro//kns.a", PolicyDirection.INGRESS),
            List.of(FilterRule.all(0, PolicyAction.ALLOW)));
  }

  @Test
  void aProfileThatNobodyDefinesDenies() {
    PolicyCalculation strict =
        Calculations.of("n1", /* supplies= */ false, List.of(pod("a/p", "n1", 1, "")));
    assertThat(strict.filter().ruleLists())
        .containsEntry(
            new RuleListId("pro//kns.a", PolicyDirection.EGRESS),
            List.of(FilterRule.all(0, PolicyAction.DENY)));
  }

  @Test
  void policiesComeByTierThenOrderThenName() {
    put(
        pod("a/p", "n1", 1, ""),
        resource(Kind.TIER, "late", "spec: {order: 20, defaultAction: Pass}"),
        resource(Kind.TIER, "early", "spec: {order: 10}"),
        resource(Kind.TIER, "also-early", "spec: {order: 10}"),
        resource(Kind.TIER, "unordered", "spec: {}"),
        policy("z", "tier: missing"),
        policy("z1", "tier: unordered"),
        policy("z2", "tier: late, order: 1"),
        policy("z3", "tier: early, order: 1"),
        policy("z4", "tier: also-early, order: 1"),
        policy("a/x", "order: 1001"),
        policy("a/default.b", "order: 5"),
        policy("a/b-c", "order: 5"),
        policy("b", "order: 5"),
        policy("c", ""),
        resource(Kind.KUBERNETES_NETWORK_POLICY, "a/k", "spec: {}"),
        resource(
            Kind.CLUSTER_NETWORK_POLICY,
            "m",
            "spec: {tier: Baseline, priority: 1, subject: {namespaces: {}}, ingress: ["
                + "{action: Deny, from: [{namespaces: {}}]}]}"));
    assertThat(order(workload("cali1").ingress()))
        .containsExactly(
            "also-early",
            "gnp//z4",
            "early",
            "gnp//z3",
            "late+",
            "gnp//z2",
            "default",
            // The text compared is name/namespace/kind: a dash comes before a slash.
            "np/a/b-c",
            "gnp//b",
            "np/a/default.b",
            "knp/a/k",
            "np/a/x",
            "gnp//c",
            "kube-baseline+",
            "kcnp//m",
            "missing",
            "gnp//z",
            "unordered",
            "gnp//z1",
            "pro//kns.a");
    assertThat(order(workload("cali1").egress())).containsExactly("pro//kns.a");
  }

  @Test
  void setsExistOnlyWhileARuleInUseRefersToThem() {
    Resource server = pod("a/server", "n1", 1, "app: server");
    Resource policy =
        policy(
            "a/p",
            "selector: app == 'server', ingress: [{action: Allow, source: {"
                + "selector: app == 'client'}}]");
    put(policy, pod("a/client", "n2", 2, "app: client"), pod("b/client", "n2", 3, "app: client"));
    assertThat(calculation.filter().sets()).isEmpty();
    assertThat(calculation.filter().ruleLists()).isEmpty();
    put(server);
    assertThat(members()).containsExactly(network("10.0.0.2/32"));
    delete(server.key());
    assertThat(calculation.filter().sets()).isEmpty();
    assertThat(calculation.filter().ruleLists()).isEmpty();
  }

  @Test
  void setNamesAreShortAndSafe() {
    put(
        pod("a/p", "n1", 1, ""),
        policy(
            "p",
            "ingress: [{action: Allow, protocol: TCP, source: {selector: has(x)},"
                + " destination: {ports: [http]}}]"));
    assertThat(calculation.filter().sets().keySet())
        .hasSize(2)
        .extracting(MemberSetId::name)
        .allMatch(name -> name.matches("[a-z][a-z0-9]{1,27}"));
  }

  @Test
  void aMemberOfTwoStaysUntilBothAreGone() {
    Resource first =
        resource(
            Kind.GLOBAL_NETWORK_SET,
            "s1",
            "{metadata: {labels: {x: s}}, spec: {nets: [192.0.2.0/24]}}");
    Resource second =
        resource(
            Kind.GLOBAL_NETWORK_SET,
            "s2",
            "{metadata: {labels: {x: s}}, spec: {nets: [192.0.2.0/24, 192.0.2.0/25]}}");
    put(
        pod("a/p", "n1", 1, ""),
        first,
        second,
        policy("p", "ingress: [{action: Allow, source: {selector: has(x)}}]"));
    assertThat(members()).hasSize(2);
    delete(second.key());
    assertThat(members()).containsExactly(network("192.0.2.0/24"));
    delete(first.key());
    assertThat(members()).isEmpty();
    assertThat(calculation.filter().sets()).hasSize(1);
  }

  @Test
  void labelsOfANamespaceAreInherited() {
    put(
        pod("a/p", "n1", 1, ""),
        pod("b/q", "n2", 2, ""),
        policy("a/p", "ingress: [{action: Allow, source: {namespaceSelector: team == 'red'}}]"));
    assertThat(members()).isEmpty();
    put(resource(Kind.NAMESPACE, "b", "metadata: {labels: {team: red}}"));
    assertThat(members()).containsExactly(network("10.0.0.2/32"));
    put(resource(Kind.NAMESPACE, "b", "metadata: {labels: {team: blue}}"));
    assertThat(members()).isEmpty();
  }

  @Test
  void aChangeTouchesWhatItConcerns() {
    put(
        pod("a/web", "n1", 1, "app: web"),
        pod("a/db", "n1", 2, "app: db"),
        policy(
            "a/web",
            "selector: app == 'web', ingress: [{action: Allow, source: {selector: has(c)}}]"));
    calculation.filter().takeChanges();
    put(pod("a/other", "n2", 3, "x: w"));
    assertThat(calculation.filter().takeChanges().isEmpty()).isTrue();
    put(pod("a/client", "n2", 4, "c: d"));
    FilterChanges changes = calculation.filter().takeChanges();
    assertThat(changes.members().values()).containsExactly(Set.of(network("10.0.0.4/32")));
    assertThat(changes.workloads()).isEmpty();
    assertThat(changes.ruleLists()).isEmpty();
    put(
        policy(
            "a/web",
            "selector: app == 'web', ingress: [{action: Deny, source: {selector: has(c)}}]"));
    changes = calculation.filter().takeChanges();
    assertThat(changes.ruleLists())
        .containsExactly(new RuleListId("np/a/web", PolicyDirection.INGRESS));
    assertThat(changes.workloads()).isEmpty();
    assertThat(changes.sets()).isEmpty();
    put(
        policy(
            "a/web",
            "selector: app == 'db', ingress: [{action: Deny, source: {selector: has(c)}}]"));
    assertThat(calculation.filter().takeChanges().workloads())
        .containsExactlyInAnyOrder("cali1", "cali2");
  }

  @Test
  void theLowestOfTwoEndpointsWithOneInterfaceIsInForce() {
    Resource lower = pod("a/p1", "n1", 1, "");
    Resource higher = pod("a/p2", "n1", 1, "");
    put(higher);
    assertThat(workload("cali1").owner()).isEqualTo(higher.describe());
    put(lower);
    assertThat(workload("cali1").owner()).isEqualTo(lower.describe());
    delete(lower.key());
    assertThat(workload("cali1").owner()).isEqualTo(higher.describe());
  }

  @Test
  void namedPortsAndServicesBecomeSetsOfPorts() {
    put(
        pod("a/p", "n1", 1, ""),
        resource(
            Kind.ENDPOINT_SLICE,
            "a/s-1",
            """
            metadata: {labels: {kubernetes.io/service-name: s}}
            endpoints: [{addresses: [10.0.0.9]}]
            ports: [{port: 443}]
            """),
        policy(
            "a/p",
            """
            types: [Ingress, Egress],
            ingress: [{action: Allow, protocol: TCP, destination: {ports: [http]}}],
            egress: [{action: Allow, destination: {services: {name: s}}},
              {action: Allow, source: {services: {name: s}}}]
            """));
    assertThat(members())
        .containsExactlyInAnyOrder(
            new SetMember.Port(IpPrefix.parse("10.0.0.1/32").address(), 6, 80),
            new SetMember.Port(IpPrefix.parse("10.0.0.9/32").address(), 6, 443),
            network("10.0.0.9/32"));
  }

  @Test
  void hostEndpointsHaveFurtherRules() {
    put(
        resource(Kind.HOST_ENDPOINT, "eth", "spec: {node: n1, interfaceName: eth0, profiles: [x]}"),
        resource(Kind.HOST_ENDPOINT, "any", "spec: {node: n1, interfaceName: '*'}"),
        resource(Kind.HOST_ENDPOINT, "remote", "spec: {node: n2, interfaceName: '*'}"),
        policy("normal", "order: 1"),
        policy("fwd", "order: 2, applyOnForward: true, types: [Egress]"),
        policy("pre", "applyOnForward: true, preDNAT: true, types: [Ingress]"),
        policy("raw", "applyOnForward: true, doNotTrack: true, types: [Ingress, Egress]"));
    assertThat(calculation.filter().hosts()).containsOnlyKeys("eth", "any");
    HostFilter eth = host("eth");
    assertThat(order(eth.ingress())).containsExactly("default", "gnp//normal", "pro//x");
    assertThat(order(eth.egress())).containsExactly("default", "gnp//fwd", "pro//x");
    assertThat(eth.forwardIngress()).isEmpty();
    assertThat(order(eth.forwardEgress().orElseThrow())).containsExactly("default", "gnp//fwd");
    assertThat(eth.forwardEgress().orElseThrow().end()).isEqualTo(EndpointRules.End.CONTINUE);
    assertThat(order(eth.preDnat().orElseThrow())).containsExactly("default+", "gnp//pre");
    assertThat(order(eth.untrackedIngress().orElseThrow())).containsExactly("default+", "gnp//raw");
    assertThat(order(eth.untrackedEgress().orElseThrow())).containsExactly("default+", "gnp//raw");
    assertThat(host("any").untrackedIngress()).isEmpty();
    assertThat(host("any").preDnat()).isPresent();
  }

  @Test
  void policiesOfHostsBeforeTrackingDoNotApplyToPods() {
    put(
        pod("a/p", "n1", 1, ""),
        policy("pre", "applyOnForward: true, preDNAT: true, types: [Ingress]"),
        policy("raw", "applyOnForward: true, doNotTrack: true"));
    assertThat(order(workload("cali1").ingress())).containsExactly("pro//kns.a");
  }

  @Test
  void spoofingNeedsTheNodesConsent() {
    Resource spoofer =
        pod("a/p", "n1", 1, "")
            .edit(
                document ->
                    document
                        .withObjectProperty("spec")
                        .putArray("allowSpoofedSourcePrefixes")
                        .add("10.9.0.0/16"));
    put(spoofer);
    assertThat(workload("cali1").spoofable()).isEmpty();
    assertThat(calculation.problems()).containsOnlyKeys(spoofer.key());
    calculation.configure(Calculations.SETTINGS, /* spoofing= */ true);
    calculation.update();
    assertThat(workload("cali1").spoofable()).containsExactly(IpPrefix.parse("10.9.0.0/16"));
    assertThat(calculation.problems()).isEmpty();
  }

  @Test
  void problemsComeAndGoWithTheirResource() {
    Resource broken = policy("a/p", "selector: '='");
    put(broken);
    assertThat(calculation.problems().get(broken.key())).startsWith("spec.selector");
    put(policy("a/p", "selector: all()"));
    assertThat(calculation.problems()).isEmpty();
    put(broken);
    calculation.apply(Calculations.list(Kind.NETWORK_POLICY, List.of()));
    assertThat(calculation.problems()).isEmpty();
  }

  @Test
  void whatCannotBeReadAtAllDenies() {
    put(pod("a/p", "n1", 1, ""), pod("b/p", "n1", 2, ""));
    ResourceKey policy = ResourceKey.of(Kind.NETWORK_POLICY, "a", "p");
    calculation.apply(Calculations.unreadable(policy));
    calculation.update();
    assertThat(calculation.problems()).isEqualTo(Map.of(policy, "cannot be read"));
    assertThat(order(workload("cali1").egress())).startsWith("default", "np/a/p");
    assertThat(order(workload("cali2").egress())).containsExactly("pro//kns.b");
    delete(policy);
    assertThat(calculation.problems()).isEmpty();
    assertThat(order(workload("cali1").egress())).containsExactly("pro//kns.a");
  }
}
