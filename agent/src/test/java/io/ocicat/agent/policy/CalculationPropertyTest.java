package io.ocicat.agent.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.EndpointRules;
import io.ocicat.agent.filter.FilterEvaluation;
import io.ocicat.agent.filter.FirstPacket;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.policy.explain.DirectionVerdict;
import io.ocicat.agent.policy.explain.PolicyEvaluation;
import io.ocicat.agent.policy.explain.PolicySnapshot;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.agent.policy.model.PolicyResources;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Laws of the calculation on random histories. A failure names its seed; {@code -Docicat.longer=20}
 * tries twenty times as many.
 */
class CalculationPropertyTest {
  private static final int HISTORIES = 6;
  private static final int STEPS = 150;
  private static final int PACKETS = 60;

  private interface Law {
    void check(long seed);
  }

  private static void forSeeds(Law law) {
    long first = new Random().nextInt(1_000_000);
    for (int i = 0; i < HISTORIES * Integer.getInteger("ocicat.longer", 1); i++) {
      long seed = first + i;
      try {
        law.check(seed);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  /** Empty for one that cannot be read. */
  private static Map<ResourceKey, Optional<Resource>> randomState(long seed, int steps) {
    RandomCluster cluster = new RandomCluster(seed);
    Map<ResourceKey, Optional<Resource>> state = new LinkedHashMap<>();
    for (int i = 0; i < steps; i++) {
      Resource resource = cluster.next();
      state.put(resource.key(), Optional.of(resource));
    }
    return state;
  }

  private static FilterContent fromScratch(Map<ResourceKey, Optional<Resource>> state) {
    PolicyCalculation calculation =
        Calculations.of(
            RandomCluster.LOCAL,
            /* supplies= */ true,
            state.values().stream().flatMap(Optional::stream).toList());
    state.forEach(
        (key, resource) -> {
          if (resource.isEmpty()) {
            calculation.apply(Calculations.unreadable(key));
          }
        });
    calculation.update();
    return FilterContent.of(calculation.filter());
  }

  @Test
  void everyHistoryLeadsToWhatItsEndMeans() {
    forSeeds(
        seed -> {
          RandomCluster cluster = new RandomCluster(seed);
          Random random = new Random(seed);
          PolicyCalculation calculation = Calculations.of(RandomCluster.LOCAL, true, List.of());
          Map<ResourceKey, Optional<Resource>> state = new LinkedHashMap<>();
          FilterContent followed = FilterContent.empty();
          for (int step = 0; step < STEPS; step++) {
            Resource resource = cluster.next();
            ResourceKey key = resource.key();
            switch (random.nextInt(10)) {
              case 0, 1 -> {
                state.remove(key);
                calculation.apply(Calculations.delete(key));
              }
              case 2 -> {
                if (random.nextInt(4) == 0) {
                  state.put(key, Optional.empty());
                  calculation.apply(Calculations.unreadable(key));
                }
              }
              case 3 -> {
                // As after lost changes: what cannot be read is not in a list.
                state.values().removeIf(one -> one.isEmpty());
                List<Resource> all = state.values().stream().flatMap(Optional::stream).toList();
                PolicyCalculation.KINDS.forEach(
                    kind -> calculation.apply(Calculations.list(kind, all)));
              }
              default -> {
                state.put(key, Optional.of(resource));
                calculation.apply(Calculations.put(resource));
              }
            }
            if (random.nextInt(3) == 0) {
              calculation.update();
              followed.follow(calculation.filter().takeChanges(), calculation.filter());
            }
            if (step % 30 == 29) {
              calculation.update();
              followed.follow(calculation.filter().takeChanges(), calculation.filter());
              assertThat(FilterContent.of(calculation.filter())).isEqualTo(fromScratch(state));
              assertThat(followed).isEqualTo(FilterContent.of(calculation.filter()));
            }
          }
          state.keySet().forEach(key -> calculation.apply(Calculations.delete(key)));
          calculation.update();
          assertThat(FilterContent.of(calculation.filter())).isEqualTo(FilterContent.empty());
        });
  }

  @Test
  void theOrderOfEventsDoesNotMatter() {
    forSeeds(
        seed -> {
          Map<ResourceKey, Optional<Resource>> state = randomState(seed, STEPS);
          FilterContent expected = fromScratch(state);
          List<Resource> order =
              new ArrayList<>(state.values().stream().flatMap(Optional::stream).toList());
          for (int round = 0; round < 3; round++) {
            if (round == 1) {
              Collections.reverse(order);
            } else {
              Collections.shuffle(order, new Random(seed));
            }
            boolean oneByOne = round != 2;
            PolicyCalculation calculation = Calculations.of(RandomCluster.LOCAL, true, List.of());
            for (Resource resource : order) {
              calculation.apply(Calculations.put(resource));
              if (oneByOne) {
                calculation.update();
              }
            }
            calculation.update();
            assertThat(FilterContent.of(calculation.filter())).isEqualTo(expected);
          }
        });
  }

  @Test
  void theFilterDecidesAsAPlainEvaluationOfAllResourcesDoes() {
    forSeeds(
        seed -> {
          List<Resource> resources =
              randomState(seed, STEPS).values().stream().flatMap(Optional::stream).toList();
          PolicyCalculation calculation = Calculations.of(RandomCluster.LOCAL, true, resources);
          FilterEvaluation filter = new FilterEvaluation(calculation.filter());
          PolicyEvaluation evaluation = new PolicyEvaluation(PolicySnapshot.of(resources));
          RandomCluster packets = new RandomCluster(seed);
          for (Resource resource : resources) {
            if (resource.kind() != Kind.WORKLOAD_ENDPOINT
                && resource.kind() != Kind.HOST_ENDPOINT) {
              continue;
            }
            PolicyMember endpoint = PolicyResources.member(resource).value();
            for (PolicyDirection direction : PolicyDirection.values()) {
              Optional<EndpointRules> rules = rules(calculation, endpoint, direction);
              for (int i = 0; rules.isPresent() && i < PACKETS; i++) {
                FirstPacket packet = packets.packet();
                DirectionVerdict verdict = evaluation.evaluate(endpoint, direction, packet);
                assertThat(filter.decide(rules.get(), packet).allowed())
                    .as("%s %s: %s: %s", endpoint.key().describe(), direction, packet, verdict)
                    .isEqualTo(verdict.allowed());
              }
            }
          }
        });
  }

  /**
   * Those in force; an endpoint of another node, or with an interface that another has, has none.
   */
  private static Optional<EndpointRules> rules(
      PolicyCalculation calculation, PolicyMember endpoint, PolicyDirection direction) {
    boolean ingress = direction == PolicyDirection.INGRESS;
    return switch (endpoint) {
      case PolicyMember.Workload workload ->
          Optional.ofNullable(calculation.filter().workloads().get(workload.interfaceName()))
              .filter(filter -> filter.owner().equals(workload.key().describe()))
              .map(filter -> ingress ? filter.ingress() : filter.egress());
      case PolicyMember.HostEnd host ->
          Optional.ofNullable(calculation.filter().hosts().get(host.key().name()))
              .map(filter -> ingress ? filter.ingress() : filter.egress());
      case PolicyMember.Networks _ -> Optional.empty();
    };
  }
}
