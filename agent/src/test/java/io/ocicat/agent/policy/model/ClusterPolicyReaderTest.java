package io.ocicat.agent.policy.model;

import static io.ocicat.agent.policy.model.PolicyYaml.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.PortRange;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kubernetes' ClusterNetworkPolicy as it is enforced. */
class ClusterPolicyReaderTest {
  private static final String POD = "projectcalico.org/orchestrator == \"k8s\"";
  private static final List<PolicyRule> DENY_ALL = List.of(PolicyRule.all(0, PolicyAction.DENY));

  private static ReadResource<TieredPolicy> cnp(String fields) {
    return PolicyResources.policy(
        resource(
            Kind.CLUSTER_NETWORK_POLICY,
            "guard",
            "spec: {tier: Admin, priority: 7, subject: {namespaces: {}}, %s}".formatted(fields)));
  }

  @ParameterizedTest
  @CsvSource({"Admin, kube-admin", "Baseline, kube-baseline"})
  void isInOneOfTwoTiersByPriority(String tier, String expected) {
    TieredPolicy policy =
        PolicyResources.policy(
                resource(
                    Kind.CLUSTER_NETWORK_POLICY,
                    "guard",
                    """
                    spec: {tier: %s, priority: 7, subject: {pods: {
                      namespaceSelector: {matchLabels: {ns: m}}, podSelector: {matchLabels: {a: b}}}}}
                    """
                        .formatted(tier)))
            .value();
    assertThat(policy.owner()).isEqualTo("kcnp//guard");
    assertThat(policy.tier()).isEqualTo(expected);
    assertThat(policy.order()).isEqualTo(7);
    assertThat(policy.types()).isEmpty();
    assertThat(policy.selector()).hasToString("(" + POD + " && pcns.ns == \"m\" && a == \"b\")");
  }

  @ParameterizedTest
  @CsvSource({"Accept, ALLOW", "Deny, DENY", "Pass, PASS"})
  void rulesHaveActions(String action, PolicyAction expected) {
    TieredPolicy policy =
        cnp("ingress: [{name: x, action: %s, from: [{namespaces: {}}]}]".formatted(action)).value();
    assertThat(policy.types()).containsExactly(PolicyDirection.INGRESS);
    assertThat(policy.ingress())
        .singleElement()
        .matches(
            rule ->
                rule.action() == expected
                    && rule.source()
                        .selector()
                        .orElseThrow()
                        .toString()
                        .equals("(" + POD + " && has(projectcalico.org/namespace))"));
  }

  @Test
  void protocolsBecomeRules() {
    List<PolicyRule> rules =
        cnp("""
            egress: [{action: Accept, to: [{networks: [10.0.0.0/8]}], protocols: [
              {tcp: {destinationPort: {number: 80}}},
              {tcp: {destinationPort: {range: {start: 90, end: 95}}}},
              {udp: {}}, {destinationNamedPort: http}]}]
            """)
            .value()
            .egress();
    assertThat(rules.stream().map(PolicyRule::protocol))
        .containsExactly(OptionalInt.of(6), OptionalInt.of(17), OptionalInt.empty());
    assertThat(rules.get(0).destination().ports())
        .containsExactly(PortRange.of(80), new PortRange(90, 95));
    assertThat(rules.get(1).destination().ports()).isEmpty();
    assertThat(rules.get(2).destination().portNames()).containsExactly("http");
    assertThat(rules).allMatch(rule -> rule.destination().nets().size() == 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "from: []",
        "from: [{}]",
        "from: [{nodes: {}}]",
        "from: [{networks: [10.0.0.0/8]}]",
        "from: [{namespaces: {}, pods: {}}]",
        "from: [{namespaces: {matchLabels: 5}}]",
        "from: [{namespaces: {}}], protocols: [{icmp: {}}]",
        "from: [{namespaces: {}}], protocols: [{tcp: {}, udp: {}}]",
        "from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {}}}]",
        "from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {number: 0}}}]",
        "from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {range: {start: 9, end: 1}}}}]",
        "from: [{namespaces: {}}], later: 1"
      })
  void aRuleThatCannotBeEnforcedFailsClosed(String fields) {
    ReadResource<TieredPolicy> accept = cnp("ingress: [{action: Accept, %s}]".formatted(fields));
    assertThat(accept.problem()).isPresent();
    assertThat(accept.value().ingress()).isEmpty();
    assertThat(accept.value().types()).containsExactly(PolicyDirection.INGRESS);
    for (String action : List.of("Deny", "Pass", "Allow")) {
      assertThat(cnp("ingress: [{action: %s, %s}]".formatted(action, fields)).value().ingress())
          .isEqualTo(DENY_ALL);
    }
  }

  @Test
  void peersThatAreExperimentalFailClosed() {
    String peers = "[{networks: [10.0.0.0/8]}, {domainNames: [example.com]}]";
    assertThat(cnp("egress: [{action: Deny, to: %s}]".formatted(peers)).value().egress())
        .isEqualTo(DENY_ALL);
    assertThat(cnp("egress: [{action: Accept, to: %s}]".formatted(peers)).value().egress())
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{tier: Middle, priority: 1, subject: {namespaces: {}}}",
        "{tier: Admin, subject: {namespaces: {}}}",
        "{tier: Admin, priority: 1001, subject: {namespaces: {}}}",
        "{tier: Admin, priority: 1}",
        "{tier: Admin, priority: 1, subject: {namespaces: {}, pods: {}}}",
        "{tier: Admin, priority: 1, subject: {nodes: {}}}",
        "5"
      })
  void aPolicyThatCannotBeReadDenies(String spec) {
    ReadResource<TieredPolicy> read =
        PolicyResources.policy(resource(Kind.CLUSTER_NETWORK_POLICY, "guard", "spec: " + spec));
    assertThat(read.problem()).isPresent();
    assertThat(read.value().types()).hasSize(2);
    assertThat(read.value().ingress()).isEqualTo(DENY_ALL);
    assertThat(read.value().egress()).isEqualTo(DENY_ALL);
  }

  @Test
  void aPolicyOfWhichNothingIsKnownDeniesAllPods() {
    TieredPolicy policy =
        PolicyResources.unreadablePolicy(ResourceKey.of(Kind.CLUSTER_NETWORK_POLICY, "guard"));
    assertThat(policy.selector()).hasToString(POD);
    assertThat(policy.ingress()).isEqualTo(DENY_ALL);
  }
}
