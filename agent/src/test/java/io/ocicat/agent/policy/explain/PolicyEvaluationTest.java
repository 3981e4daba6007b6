package io.ocicat.agent.policy.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.FirstPacket;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.agent.policy.model.Protocols;
import io.ocicat.base.yaml.YamlReader;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.ip.IpAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

/** The plain evaluation: which rule decides, and why the others do not match. */
class PolicyEvaluationTest {
  private static final String CLUSTER =
      """
      {apiVersion: projectcalico.org/v3, kind: WorkloadEndpoint,
       metadata: {name: n-k8s-web-eth0, namespace: shop, labels: {app: web}},
       spec: {node: n, orchestrator: k8s, pod: web, endpoint: eth0, interfaceName: cali1,
              ipNetworks: [10.65.0.3/32, "fd00::3/128"], profiles: [kns.shop],
              ports: [{name: http, protocol: TCP, port: 8080}]}}
      ---
      {apiVersion: projectcalico.org/v3, kind: WorkloadEndpoint,
       metadata: {name: n-k8s-db-eth0, namespace: shop, labels: {app: db}},
       spec: {node: n, orchestrator: k8s, pod: db, endpoint: eth0, interfaceName: cali2,
              ipNetworks: [10.65.0.4/32, "fd00::4/128"], profiles: [kns.shop]}}
      ---
      {apiVersion: projectcalico.org/v3, kind: NetworkSet,
       metadata: {name: office, namespace: shop, labels: {site: office}}, spec: {nets: [198.51.100.0/24]}}
      ---
      {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice,
       metadata: {name: web-1, namespace: shop, labels: {kubernetes.io/service-name: web}},
       addressType: IPv4, endpoints: [{addresses: [10.65.0.3]}], ports: [{name: http, protocol: TCP, port: 8080}]}
      """;

  private static PolicySnapshot snapshot(String... documents) {
    return PolicySnapshot.of(resources(documents));
  }

  private static List<Resource> resources(String... documents) {
    List<Resource> resources = new ArrayList<>();
    for (String text : documents) {
      for (YamlReader.Document document : YamlReader.readAll(text)) {
        resources.add(Resource.ofDocument((ObjectNode) document.value()));
      }
    }
    return resources;
  }

  private static String policy(String rule) {
    return """
        ---
        {apiVersion: projectcalico.org/v3, kind: NetworkPolicy, metadata: {name: p, namespace: shop},
         spec: {selector: app == 'web', types: [Ingress], ingress: [%s]}}
        """
        .formatted(rule);
  }

  private static PolicyMember.Workload web(PolicySnapshot snapshot) {
    return snapshot.workload(IpAddress.parse("10.65.0.3")).orElseThrow();
  }

  private static DirectionVerdict ingress(PolicySnapshot snapshot, FirstPacket packet) {
    return new PolicyEvaluation(snapshot).evaluate(web(snapshot), PolicyDirection.INGRESS, packet);
  }

  private static FirstPacket tcp(String source, int port) {
    IpAddress from = IpAddress.parse(source);
    return FirstPacket.to(
        from, IpAddress.parse(from.isV4() ? "10.65.0.3" : "fd00::3"), Protocols.TCP, port);
  }

  /** Each rule does not match TCP from the db pod to port 8080, for the reason given. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {action: Allow, protocol: UDP} | protocol is TCP, not UDP
          {action: Allow, notProtocol: TCP} | protocol is TCP
          {action: Allow, ipVersion: 6} | it is for IPv6 only
          {action: Allow, source: {nets: [192.0.2.0/24]}} | source 10.65.0.4 is not in 192.0.2.0/24
          {action: Allow, source: {notNets: [10.0.0.0/8]}} | source 10.65.0.4 is in 10.0.0.0/8, which it excludes
          {action: Allow, source: {selector: app == 'x'}} | source 10.65.0.4 (shop/db) is not selected by (projectcalico.org/namespace == "shop" && app == "x")
          {action: Allow, protocol: TCP, destination: {ports: [80, 443]}} | destination port is 8080, not 80, 443
          {action: Allow, protocol: TCP, destination: {ports: [https]}} | destination port is 8080, not https
          {action: Allow, protocol: TCP, destination: {notPorts: [http]}} | destination port is 8080, which it excludes
          {action: Allow, protocol: TCP, source: {ports: [1000]}} | source port is not known, not 1000
          {action: Allow, source: {services: {name: web}}} | source 10.65.0.4 is not of service shop/web
          """)
  void aRuleThatDoesNotMatchSaysWhy(String rule, String why) {
    DirectionVerdict verdict = ingress(snapshot(CLUSTER, policy(rule)), tcp("10.65.0.4", 8080));

    assertThat(verdict.allowed()).isFalse();
    assertThat(verdict.steps().getFirst())
        .isInstanceOfSatisfying(
            EvaluationStep.Compared.class, step -> assertThat(step.mismatch()).contains(why));
    assertThat(verdict.decisive()).isInstanceOf(EvaluationStep.TierEnd.class);
  }

  /** Each rule matches the same packet. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {action: Allow} | 10.65.0.4
          {action: Allow, source: {nets: [10.65.0.0/24]}} | 10.65.0.4
          {action: Allow, source: {selector: app == 'db'}} | 10.65.0.4
          {action: Allow, source: {selector: app == 'db'}} | fd00::4
          {action: Allow, source: {notSelector: app == 'web'}} | 10.65.0.4
          {action: Allow, source: {selector: site == 'office'}} | 198.51.100.7
          {action: Allow, protocol: TCP, destination: {ports: [http]}} | 10.65.0.4
          {action: Allow, protocol: TCP, destination: {ports: ["8000:8100"]}} | 192.0.2.1
          {action: Allow, destination: {services: {name: web}}} | 10.65.0.4
          """)
  void aRuleThatMatchesDecides(String rule, String source) {
    assertThat(ingress(snapshot(CLUSTER, policy(rule)), tcp(source, 8080)).allowed()).isTrue();
  }

  @Test
  void aMessageOfIcmpHasTypeAndCode() {
    FirstPacket ping = FirstPacket.ping(IpAddress.parse("10.65.0.4"), IpAddress.parse("10.65.0.3"));

    assertThat(
            ingress(
                    snapshot(CLUSTER, policy("{action: Allow, protocol: ICMP, icmp: {type: 8}}")),
                    ping)
                .allowed())
        .isTrue();
    assertThat(
            ingress(
                    snapshot(
                        CLUSTER,
                        policy("{action: Allow, protocol: ICMP, icmp: {type: 3, code: 1}}")),
                    ping)
                .allowed())
        .isFalse();
    assertThat(
            ingress(
                    snapshot(
                        CLUSTER,
                        policy("{action: Allow, protocol: ICMP, notICMP: {type: 8, code: 1}}")),
                    ping)
                .allowed())
        .isTrue();
  }

  @Test
  void withoutPoliciesTheProfilesDecide() {
    PolicySnapshot snapshot = snapshot(CLUSTER);

    assertThat(ingress(snapshot, tcp("192.0.2.1", 80)).allowed()).isTrue();
    PolicySnapshot missing = snapshot(CLUSTER.replace("profiles: [kns.shop]", "profiles: [none]"));
    DirectionVerdict denied = ingress(missing, tcp("192.0.2.1", 80));
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.decisive()).isEqualTo(new EvaluationStep.MissingProfile("none"));
    PolicySnapshot without = snapshot(CLUSTER.replace("profiles: [kns.shop]", "profiles: []"));
    assertThat(ingress(without, tcp("192.0.2.1", 80)).decisive())
        .isEqualTo(new EvaluationStep.ProfilesEnd());
  }

  /** Kubernetes has profiles for its namespaces, so one that is missing there is missing. */
  @Test
  void profilesOfNamespacesAreSuppliedOnlyWhereNobodyStoresThem() {
    PolicySnapshot kubernetes =
        PolicySnapshot.of(resources(CLUSTER), List.of(), /* suppliesNamespaceProfiles= */ false);

    assertThat(ingress(kubernetes, tcp("192.0.2.1", 80)).decisive())
        .isEqualTo(new EvaluationStep.MissingProfile("kns.shop"));
  }

  /** As it is enforced: what nobody can read must not open anything. */
  @Test
  void aPolicyThatCannotBeReadDenies() {
    ResourceKey key = ResourceKey.of(Kind.NETWORK_POLICY, "shop", "broken");
    PolicySnapshot snapshot =
        PolicySnapshot.of(
            resources(CLUSTER),
            List.of(new ResourcePage.Unreadable(key, "not JSON")),
            /* suppliesNamespaceProfiles= */ true);

    assertThat(ingress(snapshot, tcp("10.65.0.4", 80)).allowed()).isFalse();
    assertThat(snapshot.problems()).containsEntry(key, "not JSON");
  }

  @Test
  void aTierCanPassWhatItDoesNotDecide() {
    String tiers =
        """
        ---
        {apiVersion: projectcalico.org/v3, kind: Tier, metadata: {name: first}, spec: {order: 1, defaultAction: %s}}
        ---
        {apiVersion: projectcalico.org/v3, kind: GlobalNetworkPolicy, metadata: {name: first.log},
         spec: {tier: first, ingress: [{action: Log}, {action: Deny, protocol: UDP}]}}
        """;

    assertThat(ingress(snapshot(CLUSTER, tiers.formatted("Pass")), tcp("192.0.2.1", 80)).allowed())
        .isTrue();
    assertThat(ingress(snapshot(CLUSTER, tiers.formatted("Deny")), tcp("192.0.2.1", 80)).allowed())
        .isFalse();
  }
}
