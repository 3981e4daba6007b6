package io.ocicat.agent.policy.model;

import static io.ocicat.agent.policy.model.PolicyYaml.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.PortRange;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kubernetes' NetworkPolicy as it is enforced. */
class KubernetesPolicyReaderTest {
  private static final String POD = "projectcalico.org/orchestrator == \"k8s\"";
  private static final String SHOP = "projectcalico.org/namespace == \"shop\"";

  private static ReadResource<TieredPolicy> knp(String spec) {
    return PolicyResources.policy(
        resource(Kind.KUBERNETES_NETWORK_POLICY, "shop/web", "spec: " + spec));
  }

  private static List<PolicyRule> ingress(String rule) {
    return knp("{ingress: [%s]}".formatted(rule)).value().ingress();
  }

  @Test
  void comesWithOrder1000InTheDefaultTier() {
    TieredPolicy policy = knp("{}").value();
    assertThat(policy.owner()).isEqualTo("knp/shop/web");
    assertThat(policy.tier()).isEqualTo("default");
    assertThat(policy.order()).isEqualTo(1000);
    assertThat(policy.ingress()).isEmpty();
  }

  @Test
  void selectsPodsOfItsNamespace() {
    String pods =
        """
        {podSelector: {matchLabels: {b: '2', a: '1'}, matchExpressions: [
          {key: c, operator: In, values: [w, x]}, {key: d, operator: NotIn, values: [z]},
          {key: e, operator: Exists}, {key: f, operator: DoesNotExist}]}}
        """;
    assertThat(knp(pods).value().selector())
        .hasToString(
            "("
                + POD
                + " && a == \"1\" && b == \"2\" && c in {\"w\", \"x\"} && d not in {\"z\"}"
                + " && has(e) && !has(f) && "
                + SHOP
                + ")");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                        | INGRESS",
        "{egress: [{}]}            | BOTH",
        "{egress: []}              | INGRESS",
        "{policyTypes: [Egress]}   | EGRESS",
        "{policyTypes: [x]}        | BOTH"
      })
  void typesAreThoseThatAnApiServerFillsIn(String spec, String expected) {
    assertThat(knp(spec).value().types())
        .containsExactlyInAnyOrder(
            expected.equals("BOTH")
                ? PolicyDirection.values()
                : new PolicyDirection[] {PolicyDirection.valueOf(expected)});
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{podSelector: {}}                     | POD && SHOP",
        "{podSelector: {matchLabels: {a: b}}}  | POD && SHOP && a == \"b\"",
        "{namespaceSelector: {}}               | POD && has(projectcalico.org/namespace)",
        "{namespaceSelector: {matchLabels: {ns: m}}} | POD && pcns.ns == \"m\"",
        "{namespaceSelector: {matchLabels: {ns: m}}, podSelector: {matchLabels: {a: b}}}"
            + " | POD && pcns.ns == \"m\" && a == \"b\""
      })
  void peersArePods(String peer, String expected) {
    assertThat(ingress("{from: [%s]}".formatted(peer)))
        .singleElement()
        .extracting(rule -> rule.source().selector().orElseThrow().toString())
        .isEqualTo("(" + expected.replace("POD", POD).replace("SHOP", SHOP) + ")");
  }

  @Test
  void aBlockIsNetworksWithoutOthers() {
    RulePeer peer =
        ingress("{from: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}]}")
            .getFirst()
            .source();
    assertThat(peer.nets()).containsExactly(IpPrefix.parse("10.0.0.0/8"));
    assertThat(peer.notNets()).containsExactly(IpPrefix.parse("10.1.0.0/16"));
  }

  @Test
  void anEmptyRuleAllowsEverythingAndAnEmptyListNothing() {
    assertThat(ingress("{}")).containsExactly(PolicyRule.all(0, PolicyAction.ALLOW));
    assertThat(ingress("{from: [], ports: []}"))
        .containsExactly(PolicyRule.all(0, PolicyAction.ALLOW));
    assertThat(knp("{ingress: []}").value().ingress()).isEmpty();
  }

  @Test
  void rulesAreTheProductOfPeersAndProtocols() {
    List<PolicyRule> rules =
        ingress(
            """
            {from: [{podSelector: {}}, {namespaceSelector: {}}],
             ports: [{protocol: UDP, port: 53}, {port: 80}, {port: 82, endPort: 90}, {port: 81},
                     {port: http}, {protocol: SCTP}]}
            """);
    assertThat(rules).hasSize(6).allMatch(rule -> rule.number() == 0);
    assertThat(rules.stream().map(PolicyRule::protocol).limit(3))
        .containsExactly(OptionalInt.of(6), OptionalInt.of(17), OptionalInt.of(132));
    assertThat(rules.getFirst().destination().ports()).containsExactly(new PortRange(80, 90));
    assertThat(rules.getFirst().destination().portNames()).containsExactly("http");
    assertThat(rules.get(2).destination()).isEqualTo(RulePeer.ANY);
  }

  @Test
  void oneEntryWithoutAPortMeansAllPortsOfTheProtocol() {
    assertThat(ingress("{ports: [{port: 80}, {protocol: TCP}]}"))
        .singleElement()
        .matches(
            rule ->
                rule.destination().equals(RulePeer.ANY)
                    && rule.protocol().equals(OptionalInt.of(6)));
  }

  @Test
  void egressIsAboutTheDestination() {
    PolicyRule rule =
        knp("{egress: [{to: [{podSelector: {}}], ports: [{port: 80}]}]}")
            .value()
            .egress()
            .getFirst();
    assertThat(rule.source()).isEqualTo(RulePeer.ANY);
    assertThat(rule.destination().selector()).isPresent();
    assertThat(rule.destination().ports()).containsExactly(PortRange.of(80));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{from: [{}]}",
        "{from: [{ipBlock: {cidr: 10.0.0.0/8}, podSelector: {}}]}",
        "{from: [{ipBlock: {cidr: x}}]}",
        "{from: [{ipBlock: {}}]}",
        "{from: [{ipBlock: {cidr: 10.0.0.0/8, except: [x]}}]}",
        "{from: [{podSelector: {matchExpressions: [{key: a, operator: Like}]}}]}",
        "{from: [{podSelector: {matchLabels: {a: 5}}}]}",
        "{from: {podSelector: {}}}",
        "{from: [{serviceSelector: {}}]}",
        "{ports: [{protocol: ICMP, port: 80}]}",
        "{ports: [{port: 80, endPort: 79}]}",
        "{ports: [{port: http, endPort: 80}]}",
        "{ports: [{endPort: 80}]}",
        "{ports: [{port: 65536}]}",
        "{ports: [{port: true}]}",
        "{to: [{podSelector: {}}]}",
        "5"
      })
  void aRuleThatCannotBeReadAllowsNothing(String rule) {
    ReadResource<TieredPolicy> read = knp("{ingress: [%s, {ports: [{port: 1}]}]}".formatted(rule));
    assertThat(read.value().ingress()).singleElement().matches(one -> one.number() == 1);
    assertThat(read.problem().orElseThrow())
        .startsWith("spec.ingress[0]")
        .endsWith("(the rule matches nothing)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{podSelector: {matchExpressions: [{key: a}]}}", "{podSelector: []}", "[]"})
  void aPolicyThatCannotBeReadIsolatesItsNamespace(String spec) {
    ReadResource<TieredPolicy> read = knp(spec);
    assertThat(read.problem()).isPresent();
    assertThat(read.value().selector()).hasToString("(" + POD + " && " + SHOP + ")");
    assertThat(read.value().ingress()).isEmpty();
  }

  @Test
  void aPolicyOfWhichNothingIsKnownIsolatesItsNamespaceBothWays() {
    TieredPolicy policy =
        PolicyResources.unreadablePolicy(
            ResourceKey.of(Kind.KUBERNETES_NETWORK_POLICY, "shop", "web"));
    assertThat(policy.types()).hasSize(2);
    assertThat(policy.selector()).hasToString("(" + POD + " && " + SHOP + ")");
  }
}
