package io.ocicat.agent.policy.model;

import static io.ocicat.agent.policy.model.PolicyYaml.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.IcmpMatch;
import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.PortRange;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** NetworkPolicy and GlobalNetworkPolicy as they are enforced. */
class CalicoPolicyReaderTest {
  private static final List<PolicyRule> DENY_ALL = List.of(PolicyRule.all(0, PolicyAction.DENY));

  private static ReadResource<TieredPolicy> np(String spec) {
    return PolicyResources.policy(
        resource(Kind.NETWORK_POLICY, "shop/web", "spec:\n" + spec.indent(2)));
  }

  private static ReadResource<TieredPolicy> gnp(String spec) {
    return PolicyResources.policy(
        resource(Kind.GLOBAL_NETWORK_POLICY, "web", "spec:\n" + spec.indent(2)));
  }

  private static PolicyRule rule(String rule) {
    ReadResource<TieredPolicy> read = np("ingress: [%s]".formatted(rule));
    assertThat(read.problem()).isEmpty();
    return read.value().ingress().getFirst();
  }

  @Test
  void readsWhatAPolicyHas() {
    ReadResource<TieredPolicy> read =
        gnp(
            """
            tier: net
            order: 12.5
            selector: app == 'web'
            namespaceSelector: team == 'x'
            serviceAccountSelector: role == 'front'
            applyOnForward: true
            doNotTrack: true
            types: [Egress]
            egress: [{action: Allow}]
            """);
    assertThat(read.problem()).isEmpty();
    TieredPolicy policy = read.value();
    assertThat(policy.kind()).isEqualTo(PolicyKind.GNP);
    assertThat(policy.owner()).isEqualTo("gnp//web");
    assertThat(policy.tier()).isEqualTo("net");
    assertThat(policy.order()).isEqualTo(12.5);
    assertThat(policy.types()).containsExactly(PolicyDirection.EGRESS);
    assertThat(policy.selector())
        .hasToString("(app == \"web\" && pcns.team == \"x\" && pcsa.role == \"front\")");
    assertThat(policy.egress()).containsExactly(PolicyRule.all(0, PolicyAction.ALLOW));
    assertThat(policy.doNotTrack()).isTrue();
    assertThat(policy.applyOnForward()).isTrue();
    assertThat(policy.preDnat()).isFalse();
  }

  @Test
  void aPolicyOfANamespaceSelectsOnlyThere() {
    TieredPolicy policy = np("selector: has(app)").value();
    assertThat(policy.selector())
        .hasToString("(has(app) && projectcalico.org/namespace == \"shop\")");
    assertThat(policy.owner()).isEqualTo("np/shop/web");
    assertThat(policy.order()).isInfinite();
    assertThat(policy.tier()).isEqualTo("default");
  }

  @Test
  void allNamespacesMeansThatThereIsOne() {
    assertThat(gnp("namespaceSelector: all()").value().selector())
        .hasToString("has(projectcalico.org/namespace)");
    assertThat(gnp("serviceAccountSelector: all()").value().selector())
        .hasToString("has(projectcalico.org/serviceaccount)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "selector: all()                                    | INGRESS",
        "egress: [{action: Deny}]                           | EGRESS",
        "{ingress: [{action: Deny}], egress: [{action: Deny}]} | BOTH",
        "types: [Ingress, Egress]                           | BOTH",
        "{types: [Ingress], egress: [{action: Deny}]}       | INGRESS"
      })
  void typesFollowTheRules(String spec, String expected) {
    assertThat(np(spec).value().types())
        .containsExactlyInAnyOrder(
            expected.equals("BOTH")
                ? PolicyDirection.values()
                : new PolicyDirection[] {PolicyDirection.valueOf(expected)});
  }

  @ParameterizedTest
  @CsvSource({
    "default.web, , web",
    "default.web, default, web",
    "default.web, net, default.web",
    "net.web, net, net.web"
  })
  void theNameWithoutTheTierCounts(String name, String tier, String expected) {
    String spec = tier == null ? "spec: {selector: all()}" : "spec: {tier: %s}".formatted(tier);
    TieredPolicy policy =
        PolicyResources.policy(resource(Kind.NETWORK_POLICY, "shop/" + name, spec)).value();
    assertThat(policy.name()).isEqualTo(expected);
    assertThat(policy.owner()).isEqualTo("np/shop/" + name);
  }

  @Test
  void theNameInTheAnnotationCountsFirst() {
    TieredPolicy policy =
        PolicyResources.policy(
                resource(
                    Kind.NETWORK_POLICY,
                    "shop/default.x",
                    "metadata: {annotations: {projectcalico.org/metadata: '{\"name\":\"y\"}'}}\n"
                        + "spec: {}"))
            .value();
    assertThat(policy.name()).isEqualTo("y");
  }

  @Test
  void readsWhatARuleHas() {
    PolicyRule rule =
        rule(
            """
            {action: Pass, ipVersion: 4, protocol: tcp, notProtocol: 17,
             source: {nets: [10.1.2.3/8], notNets: [10.2.0.0/16], notPorts: [1, dns]},
             destination: {ports: [80, '90:95', http]}}
            """);
    assertThat(rule.action()).isEqualTo(PolicyAction.PASS);
    assertThat(rule.family()).contains(IpFamily.V4);
    assertThat(rule.protocol()).hasValue(6);
    assertThat(rule.notProtocol()).hasValue(17);
    assertThat(rule.source().nets()).containsExactly(IpPrefix.parse("10.0.0.0/8"));
    assertThat(rule.source().notNets()).containsExactly(IpPrefix.parse("10.2.0.0/16"));
    assertThat(rule.source().notPorts()).containsExactly(PortRange.of(1));
    assertThat(rule.source().notPortNames()).containsExactly("dns");
    assertThat(rule.destination().ports()).containsExactly(PortRange.of(80), new PortRange(90, 95));
    assertThat(rule.destination().portNames()).containsExactly("http");
  }

  @Test
  void readsIcmp() {
    PolicyRule rule = rule("{action: Allow, protocol: ICMP, icmp: {type: 8, code: 0}}");
    assertThat(rule.icmp()).contains(new IcmpMatch(8, OptionalInt.of(0)));
    rule = rule("{action: Allow, protocol: 58, notICMP: {type: 128}}");
    assertThat(rule.notIcmp()).contains(new IcmpMatch(128, OptionalInt.empty()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "selector: has(a)                | (projectcalico.org/namespace == \"shop\" && has(a)) |",
        "notSelector: has(a)             | (projectcalico.org/namespace == \"shop\" && !has(a)) |",
        "{selector: has(a), notSelector: has(b)} | (projectcalico.org/namespace == \"shop\" && has(a) && !has(b)) |",
        "namespaceSelector: has(n)       | has(pcns.n) |",
        "namespaceSelector: all()        | has(projectcalico.org/namespace) |",
        "namespaceSelector: global()     | !has(projectcalico.org/namespace) |",
        "{namespaceSelector: has(n), selector: has(a)} | (has(pcns.n) && has(a)) |",
        "serviceAccounts: {names: [b, a]} | (projectcalico.org/namespace == \"shop\" && projectcalico.org/serviceaccount in {\"a\", \"b\"}) |",
        "serviceAccounts: {selector: has(r)} | (projectcalico.org/namespace == \"shop\" && has(pcsa.r)) |",
        "nets: [10.0.0.0/8]              | |",
      })
  void aPeerIsOneSelector(String peer, String expected, String none) {
    assertThat(none).isNull();
    RulePeer read = rule("{action: Allow, source: %s}".formatted(braced(peer))).source();
    assertThat(read.selector().map(Object::toString).orElse(null)).isEqualTo(expected);
    assertThat(read.notSelector()).isEmpty();
  }

  private static String braced(String yaml) {
    return yaml.startsWith("{") ? yaml : "{" + yaml + "}";
  }

  @Test
  void onlyAGlobalPolicyExcludesWithoutSelecting() {
    RulePeer peer =
        gnp("ingress: [{action: Deny, source: {notSelector: has(a)}}]")
            .value()
            .ingress()
            .getFirst()
            .source();
    assertThat(peer.selector()).isEmpty();
    assertThat(peer.notSelector()).hasToString("Optional[has(a)]");
  }

  @Test
  void aServiceIsInThePolicysNamespaceUnlessItSaysAnother() {
    assertThat(rule("{action: Allow, destination: {services: {name: s}}}").destination().service())
        .contains(new ServiceName("shop", "s"));
    assertThat(
            rule("{action: Allow, source: {services: {name: s, namespace: other}}}")
                .source()
                .service())
        .contains(new ServiceName("other", "s"));
  }

  @Test
  void excludedNetworksOfOneFamilyRestrictTheRuleToIt() {
    assertThat(rule("{action: Allow, source: {notNets: ['fd00::/8']}}").family())
        .contains(IpFamily.V6);
    assertThat(rule("{action: Allow, source: {notNets: ['fd00::/8', 10.0.0.0/8]}}").family())
        .isEmpty();
  }

  /** An Allow matches nothing, a Deny and a Pass deny everything, and a Log is left out. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "destination: {ports: [80]}",
        "protocol: ICMP, destination: {ports: [http]}",
        "protocol: TCP, destination: {ports: ['90:80']}",
        "protocol: TCP, destination: {ports: [70000]}",
        "protocol: TCP, destination: {ports: ['a b']}",
        "protocol: TCP, destination: {ports: 80}",
        "protocol: TCP, source: {notPorts: [true]}",
        "protocol: HTTP",
        "protocol: 0",
        "protocol: 256",
        "notProtocol: x",
        "ipVersion: 5",
        "ipVersion: '4'",
        "ipVersion: 6, source: {nets: [10.0.0.0/8]}",
        "ipVersion: 6, source: {notNets: [10.0.0.0/8]}",
        "ipVersion: 6, protocol: ICMP",
        "ipVersion: 4, notProtocol: ICMPv6",
        "icmp: {type: 8}",
        "protocol: TCP, icmp: {type: 8}",
        "protocol: ICMP, icmp: {type: 255}",
        "protocol: ICMP, icmp: {code: 0}",
        "protocol: ICMP, notICMP: {code: 0}",
        "notICMP: {type: 8}",
        "http: {methods: [GET]}",
        "protocol: UDP, http: {paths: [{exact: /}]}",
        "source: {selector: 'a =='}",
        "source: {notSelector: ')'}",
        "source: {selector: 5}",
        "source: {selector: global()}",
        "source: {namespaceSelector: 'global() && has(a)'}",
        "source: {serviceAccounts: {selector: '='}}",
        "source: {serviceAccounts: {names: a}}",
        "source: {nets: [10.0.0.0/33]}",
        "source: {nets: 10.0.0.0/8}",
        "source: {notNets: [x]}",
        "source: {services: {}}",
        "source: {services: {name: s}, nets: [10.0.0.0/8]}",
        "source: {services: {name: s}, selector: has(a)}",
        "source: {services: {name: s}, serviceAccounts: {names: [a]}}",
        "destination: {services: {name: s}, ports: [80]}, protocol: TCP",
        "source: {domains: [example.com]}",
        "destination: 5",
        "later: true"
      })
  void aRuleThatCannotBeEnforcedFailsClosed(String fields) {
    for (String action : List.of("Allow", "Log")) {
      ReadResource<TieredPolicy> read = np("ingress: [{action: %s, %s}]".formatted(action, fields));
      assertThat(read.value().ingress()).isEmpty();
      assertThat(read.problem().orElseThrow())
          .startsWith("spec.ingress[0]")
          .endsWith("(the rule matches nothing)")
          .doesNotContain("\n");
    }
    for (String action : List.of("Deny", "Pass")) {
      ReadResource<TieredPolicy> read =
          np("egress: [{action: Allow}, {action: %s, %s}]".formatted(action, fields));
      assertThat(read.value().egress())
          .containsExactly(
              PolicyRule.all(0, PolicyAction.ALLOW), PolicyRule.all(1, PolicyAction.DENY));
      assertThat(read.problem().orElseThrow()).endsWith("(the rule denies everything)");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"{action: allow}", "{}", "5", "{action: 5}"})
  void aRuleWithoutAKnownActionDenies(String rule) {
    assertThat(np("ingress: [%s]".formatted(rule)).value().ingress()).isEqualTo(DENY_ALL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{doNotTrack: true, preDNAT: true, applyOnForward: true}",
        "{doNotTrack: true}",
        "{preDNAT: true}",
        "{preDNAT: true, applyOnForward: true, egress: [{action: Deny}]}",
        "{preDNAT: 1}",
        "{order: first}",
        "{tier: 5}",
        "{ingress: {}}",
        "{types: [Both]}",
        "{types: Ingress}",
        "{selector: 'a =='}",
        "{selector: global()}",
        "{serviceAccountSelector: 5}"
      })
  void aPolicyThatContradictsItselfDenies(String spec) {
    ReadResource<TieredPolicy> read = gnp(spec.replaceFirst("\\{", "{namespaceSelector: has(n), "));
    TieredPolicy policy = read.value();
    assertThat(read.problem().orElseThrow()).contains("(the policy denies everything)");
    assertThat(policy.isNormal()).isTrue();
    assertThat(policy.ingress()).isEqualTo(DENY_ALL);
    assertThat(policy.egress()).isEqualTo(DENY_ALL);
    assertThat(policy.selector()).hasToString("has(pcns.n)");
  }

  @Test
  void aPolicyOfWhichNothingIsKnownDeniesEverythingItMayMean() {
    ResourceKey key = ResourceKey.of(Kind.NETWORK_POLICY, "shop", "web");
    TieredPolicy policy = PolicyResources.unreadablePolicy(key);
    assertThat(policy.selector()).hasToString("projectcalico.org/namespace == \"shop\"");
    assertThat(policy.types()).hasSize(2);
    assertThat(policy.ingress()).isEqualTo(DENY_ALL);
    assertThat(policy.order()).isEqualTo(Double.NEGATIVE_INFINITY);
    key = ResourceKey.of(Kind.GLOBAL_NETWORK_POLICY, "web");
    assertThat(PolicyResources.unreadablePolicy(key).selector()).hasToString("all()");
  }

  @Test
  void oneLineHasAllThatIsWrong() {
    assertThat(
            np("{selector: '=', ingress: [{action: Allow, protocol: x}]}").problem().orElseThrow())
        .contains("spec.selector \"=\" is not a selector")
        .contains("spec.ingress[0].protocol must be TCP")
        .doesNotContain("\n");
  }
}
