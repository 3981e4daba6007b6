package io.ocicat.agent.policy.model;

import static io.ocicat.agent.policy.model.PolicyYaml.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.SetMember;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tiers, profiles, endpoints, network sets and slices as policy sees them. */
class PolicyResourcesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{order: 5, defaultAction: Pass} | 5        | true  | false",
        "{order: 5.5}                    | 5.5      | false | false",
        "{defaultAction: Deny}           | Infinity | false | false",
        "{order: first}                  | Infinity | false | true",
        "{order: 5, defaultAction: Open} | Infinity | false | true",
        "5                               | Infinity | false | true"
      })
  void readsTiers(String spec, double order, boolean passes, boolean problem) {
    ReadResource<PolicyTier> read =
        PolicyResources.tier(resource(Kind.TIER, "net", "spec: " + spec));
    assertThat(read.value()).isEqualTo(new PolicyTier("net", order, passes));
    assertThat(read.problem().isPresent()).isEqualTo(problem);
  }

  @Test
  void someTiersHaveAMeaningWithoutBeingStored() {
    assertThat(
            List.of("later", "kube-baseline", "default", "kube-admin").stream()
                .map(PolicyTier::missing)
                .sorted()
                .map(PolicyTier::name))
        .containsExactly("kube-admin", "default", "kube-baseline", "later");
    assertThat(PolicyTier.missing("kube-admin").passes()).isTrue();
    assertThat(PolicyTier.missing("default").passes()).isFalse();
    assertThat(PolicyTier.missing("later").passes()).isFalse();
  }

  @Test
  void readsProfiles() {
    PolicyProfile profile =
        PolicyResources.profile(
                resource(
                    Kind.PROFILE,
                    "net1",
                    """
                    spec:
                      labelsToApply: {net1: ''}
                      ingress: [{action: Allow, source: {selector: has(net1)}, destination: {}}]
                      egress: [{action: Allow}]
                    """))
            .value();
    assertThat(profile.labels()).isEqualTo(Map.of("net1", ""));
    assertThat(profile.rules(PolicyDirection.INGRESS).getFirst().source().selector())
        .hasToString("Optional[has(net1)]");
    assertThat(profile.egress()).containsExactly(PolicyRule.all(0, PolicyAction.ALLOW));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"{ingress: 5}", "{labelsToApply: {a: 5}}", "{labelsToApply: []}", "5"})
  void aProfileThatCannotBeReadDenies(String spec) {
    ReadResource<PolicyProfile> read =
        PolicyResources.profile(resource(Kind.PROFILE, "net1", "spec: " + spec));
    assertThat(read.value()).isEqualTo(PolicyProfile.closed("net1"));
    assertThat(read.problem()).isPresent();
  }

  @Test
  void suppliesProfilesOfNamespacesAndServiceAccounts() {
    PolicyProfile namespace =
        SuppliedProfiles.find("kns.shop", name -> Map.of("team", name)).orElseThrow();
    assertThat(namespace.labels())
        .isEqualTo(
            Map.of(
                "pcns.team", "shop",
                "pcns.projectcalico.org/name", "shop",
                "pcns.kubernetes.io/metadata.name", "shop"));
    assertThat(namespace.ingress()).containsExactly(PolicyRule.all(0, PolicyAction.ALLOW));
    PolicyProfile account = SuppliedProfiles.find("ksa.shop.a.b", _ -> Map.of()).orElseThrow();
    assertThat(account.labels()).isEqualTo(Map.of("pcsa.projectcalico.org/name", "a.b"));
    assertThat(account.ingress()).isEmpty();
    assertThat(SuppliedProfiles.find("other", _ -> Map.of())).isEmpty();
    assertThat(SuppliedProfiles.builtIn("projectcalico-default-allow")).isPresent();
    assertThat(SuppliedProfiles.builtIn("other")).isEmpty();
  }

  @Test
  void readsWorkloads() {
    ReadResource<PolicyMember.Workload> read =
        PolicyResources.workload(
            resource(
                Kind.WORKLOAD_ENDPOINT,
                "shop/node--a-k8s-cart-eth0",
                """
                metadata: {labels: {app: cart, projectcalico.org/namespace: other}}
                spec:
                  node: node-a
                  orchestrator: k8s
                  pod: cart
                  endpoint: eth0
                  serviceAccountName: robot
                  interfaceName: cali1
                  ipNetworks: [10.65.0.7/32, 'fd00::7', nonsense]
                  profiles: [kns.shop, 5]
                  ports:
                  - {name: http, protocol: TCP, port: 8080, hostPort: 0}
                  - {name: '', protocol: TCP, port: 1}
                  - {name: bad, protocol: x, port: 1}
                  allowSpoofedSourcePrefixes: [10.9.0.0/16]
                """));
    PolicyMember.Workload workload = read.value();
    assertThat(workload.labels())
        .isEqualTo(
            Map.of(
                "app", "cart",
                "projectcalico.org/namespace", "shop",
                "projectcalico.org/orchestrator", "k8s",
                "projectcalico.org/serviceaccount", "robot"));
    assertThat(workload.nets())
        .containsExactly(IpPrefix.parse("10.65.0.7/32"), IpPrefix.parse("fd00::7/128"));
    assertThat(workload.profiles()).containsExactly("kns.shop");
    assertThat(workload.ports()).containsExactly(new NamedPort("http", 6, 8080));
    assertThat(workload.node()).isEqualTo("node-a");
    assertThat(workload.interfaceName()).isEqualTo("cali1");
    assertThat(workload.rank()).isEqualTo(new PolicyMember.Rank("k8s", "shop/cart", "eth0"));
    assertThat(workload.spoofable()).containsExactly(IpPrefix.parse("10.9.0.0/16"));
    assertThat(read.problem().orElseThrow())
        .contains("spec.ipNetworks cannot contain \"nonsense\"")
        .contains("spec.profiles")
        .contains("spec.ports.protocol");
  }

  @Test
  void readsHostEndpoints() {
    ReadResource<PolicyMember.HostEnd> read =
        PolicyResources.host(
            resource(
                Kind.HOST_ENDPOINT,
                "n1-eth0",
                """
                metadata: {labels: {role: node}}
                spec: {node: n1, expectedIPs: [192.0.2.1], profiles: [p], ports: [
                  {name: ssh, protocol: 6, port: 22}]}
                """));
    assertThat(read.problem()).isEmpty();
    assertThat(read.value().nets()).containsExactly(IpPrefix.parse("192.0.2.1/32"));
    assertThat(read.value().ports()).containsExactly(new NamedPort("ssh", 6, 22));
    assertThat(
            PolicyResources.host(resource(Kind.HOST_ENDPOINT, "h", "spec: {node: n1}")).problem())
        .isPresent();
    assertThat(
            PolicyResources.host(resource(Kind.HOST_ENDPOINT, "h", "spec: {interfaceName: x}"))
                .problem())
        .isPresent();
  }

  @Test
  void networkSetsInheritTheLabelsOfTheirNamespace() {
    PolicyMember.Networks set =
        PolicyResources.networks(
                resource(
                    Kind.NETWORK_SET,
                    "shop/banks",
                    "{metadata: {labels: {a: b}}, spec: {nets: [192.0.2.9/24, 192.0.2.0/24]}}"))
            .value();
    assertThat(set.profiles()).containsExactly("kns.shop");
    assertThat(set.labels()).containsEntry("projectcalico.org/namespace", "shop");
    assertThat(set.nets()).containsExactly(IpPrefix.parse("192.0.2.0/24"));
    assertThat(
            PolicyResources.networks(resource(Kind.GLOBAL_NETWORK_SET, "banks", "spec: {}"))
                .value()
                .profiles())
        .isEmpty();
  }

  @Test
  void readsSlicesWithEndpointsThatAreNotReady() {
    ServiceSlice slice =
        PolicyResources.slice(
                resource(
                    Kind.ENDPOINT_SLICE,
                    "shop/cart-x",
                    """
                    metadata: {labels: {kubernetes.io/service-name: cart}}
                    endpoints:
                    - {addresses: [10.65.0.7], conditions: {ready: false}}
                    ports: [{port: 80}, {protocol: UDP, port: 53}, {name: any}]
                    """))
            .value();
    assertThat(slice.service()).isEqualTo(new ServiceName("shop", "cart"));
    IpAddress address = IpAddress.parse("10.65.0.7");
    assertThat(slice.addressPorts())
        .containsExactly(new SetMember.Port(address, 6, 80), new SetMember.Port(address, 17, 53));
    assertThat(slice.networks()).containsExactly(new SetMember.Network(IpPrefix.host(address)));
    assertThat(Optional.of(slice.key().name())).contains("cart-x");
  }
}
