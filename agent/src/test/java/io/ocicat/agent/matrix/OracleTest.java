package io.ocicat.agent.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The oracle itself, by answers that anybody would give. */
class OracleTest {
  private static final Actor WEB = pod("web", "10.0.0.1", "fd00::1");
  private static final Actor DB = pod("db", "10.0.0.2", "fd00::2");
  private static final Actor OUTSIDE =
      new Actor(
          Actor.Type.OUTSIDE,
          "outside",
          "",
          IpAddress.parse("192.0.2.1"),
          IpAddress.parse("2001:db8::1"));

  private static Actor pod(String name, String v4, String v6) {
    return new Actor(
        Actor.Type.POD, "shop/" + name, "node1", IpAddress.parse(v4), IpAddress.parse(v6));
  }

  private static Resource endpoint(Actor pod, String label) {
    return Stored.labelled(
        Stored.of(
            Kind.WORKLOAD_ENDPOINT,
            "shop",
            "e-" + label,
            "{node: node1, ipNetworks: ['%s/32', '%s/128'], profiles: [kns.shop]}"
                .formatted(pod.v4(), pod.v6())),
        Map.of(
            "app",
            label,
            KnownEndpoint.NAMESPACE_LABEL,
            "shop",
            KnownEndpoint.ORCHESTRATOR_LABEL,
            "k8s"));
  }

  private static boolean allows(Actor from, Actor to, Service service, Resource... policies) {
    List<Resource> all = new ArrayList<>(List.of(policies));
    all.add(endpoint(WEB, "web"));
    all.add(endpoint(DB, "db"));
    all.add(Stored.tier("default", "{order: 1000000}"));
    all.add(Stored.tier("kube-admin", "{order: 1000, defaultAction: Pass}"));
    Cell cell = new Cell(from, to, service, true);
    return new Oracle(all, true).allows(from, to, cell.packet(40_000));
  }

  @Test
  void withoutPolicyAllIsAllowed() {
    assertThat(allows(WEB, DB, Service.TCP_80)).isTrue();
    assertThat(allows(OUTSIDE, DB, Service.PING)).isTrue();
  }

  @Test
  void aPolicyOfKubernetesClosesWhatItDoesNotAllow() {
    Resource policy =
        Stored.kubernetes(
            "shop",
            "p",
            """
            {podSelector: {matchLabels: {app: db}}, policyTypes: [Ingress],
             ingress: [{from: [{podSelector: {matchLabels: {app: web}}}], ports: [{port: 80}]}]}
            """);
    assertThat(allows(WEB, DB, Service.TCP_80, policy)).isTrue();
    assertThat(allows(WEB, DB, Service.TCP_81, policy)).isFalse();
    assertThat(allows(WEB, DB, Service.UDP_80, policy)).isFalse();
    assertThat(allows(OUTSIDE, DB, Service.TCP_80, policy)).isFalse();
    assertThat(allows(DB, WEB, Service.TCP_80, policy)).isTrue();
  }

  @Test
  void tiersComeBeforeEachOther() {
    Resource denied = Stored.kubernetes("shop", "p", "{podSelector: {}, policyTypes: [Ingress]}");
    Resource accepted =
        Stored.cluster(
            "a",
            """
            {tier: Admin, priority: 1, subject: {namespaces: {}},
             ingress: [{action: Accept, from: [{namespaces: {}}], protocols: [{tcp: {}}]}]}
            """);
    assertThat(allows(WEB, DB, Service.TCP_80, denied, accepted)).isTrue();
    assertThat(allows(WEB, DB, Service.UDP_80, denied, accepted)).isFalse();
  }

  @Test
  void rulesOfCalicoAreTriedInTheirOrder() {
    Resource policy =
        Stored.global(
            "p",
            """
            {selector: app == 'db', ingress: [{action: Deny, protocol: UDP},
              {action: Allow, source: {selector: app == 'web'}}]}
            """);
    assertThat(allows(WEB, DB, Service.UDP_80, policy)).isFalse();
    assertThat(allows(WEB, DB, Service.TCP_80, policy)).isTrue();
    assertThat(allows(OUTSIDE, DB, Service.TCP_80, policy)).isFalse();
  }
}
