package io.ocicat.agent.policy;

import static io.ocicat.agent.policy.model.PolicyYaml.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A cluster of some size, to be sure that nothing grows with the product of what is in it. {@code
 * -Docicat.longer=20} has a hundred thousand endpoints and ten thousand policies.
 */
class PolicyScaleTest {
  private static final int SCALE = Integer.getInteger("ocicat.longer", 1);
  private static final int ENDPOINTS = 5_000 * SCALE;
  private static final int POLICIES = 500 * SCALE;
  private static final int NAMESPACES = 50 * SCALE;
  private static final int NODES = 50;

  private static Resource pod(int number, String app) {
    return resource(
        Kind.WORKLOAD_ENDPOINT,
        "ns%d/n%d-k8s-p%d-eth0".formatted(number % NAMESPACES, number % NODES, number),
        """
        metadata: {labels: {app: %s}}
        spec: {node: n%d, orchestrator: k8s, pod: p%d, endpoint: eth0, interfaceName: cali%d,
          ipNetworks: [10.%d.%d.%d], profiles: [kns.ns%d]}
        """
            .formatted(
                app,
                number % NODES,
                number,
                number,
                number >> 16,
                number >> 8 & 255,
                number & 255,
                number % NAMESPACES));
  }

  private static Resource policy(int number) {
    return resource(
        Kind.KUBERNETES_NETWORK_POLICY,
        "ns%d/policy%d".formatted(number % NAMESPACES, number),
        """
        spec: {podSelector: {matchLabels: {app: web}}, ingress: [{from: [
          {podSelector: {matchLabels: {app: api%d}}},
          {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ns%d}}}]}]}
        """
            .formatted(number % 7, (number + 1) % NAMESPACES));
  }

  @Test
  void aChangeOfOnePodChangesOnlyItsMembers() {
    List<Resource> resources = new ArrayList<>();
    for (int i = 0; i < ENDPOINTS; i++) {
      resources.add(pod(i, i % 2 == 0 ? "web" : "api" + i % 7));
    }
    for (int i = 0; i < POLICIES; i++) {
      resources.add(policy(i));
    }
    PolicyCalculation calculation = Calculations.of("n0", true, resources);
    assertThat(calculation.filter().workloads()).hasSize(ENDPOINTS / NODES);
    assertThat(calculation.filter().sets()).isNotEmpty();
    calculation.filter().takeChanges();
    for (int i = 0; i < 1000; i++) {
      calculation.apply(Calculations.put(pod(i * NODES % ENDPOINTS + 1, "api" + i % 7)));
      calculation.update();
      assertThat(calculation.filter().takeChanges().workloads()).isEmpty();
    }
    for (int i = 0; i < 100; i++) {
      calculation.apply(Calculations.delete(policy(i).key()));
      calculation.update();
    }
    assertThat(calculation.filter().ruleLists().keySet())
        .noneMatch(list -> list.owner().endsWith("/policy0"));
  }
}
