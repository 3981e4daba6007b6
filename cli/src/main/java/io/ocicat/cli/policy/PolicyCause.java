package io.ocicat.cli.policy;

import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.policy.explain.ApplyingPolicies;
import io.ocicat.agent.policy.explain.DirectionVerdict;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.agent.policy.model.Protocols;
import io.ocicat.agent.policy.model.TieredPolicy;
import io.ocicat.cli.check.Discrepancy;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.ip.IpAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Policy as the cause of lost packets, on a node that enforces it. The datastore is read when it is
 * first needed; one that cannot be read explains nothing. Not thread-safe.
 */
public final class PolicyCause {
  private final DatastoreConfig config;
  private boolean asked;
  private Optional<StoredPolicy> found = Optional.empty();

  public PolicyCause(DatastoreConfig config) {
    this.config = config;
  }

  private Optional<StoredPolicy> policy() {
    if (!asked) {
      asked = true;
      found = read();
    }
    return found;
  }

  private Optional<StoredPolicy> read() {
    if (config instanceof DatastoreConfig.Embedded(Path directory)
        && Files.notExists(directory.resolve("datastore.db"))) {
      return Optional.empty();
    }
    try (Datastore datastore = Datastores.openOwn(config)) {
      return Optional.of(StoredPolicy.read(datastore));
    } catch (DatastoreException _) {
      return Optional.empty();
    }
  }

  /** What denies an echo request. */
  public Optional<Discrepancy> ofPing(IpAddress source, IpAddress destination) {
    return of(source, destination, FlowPort.PING, "icmp");
  }

  /** What denies a TCP connection. */
  public Optional<Discrepancy> ofTcp(IpAddress source, IpAddress destination, int port) {
    return of(source, destination, FlowPort.of(Protocols.TCP, port), port + "/tcp");
  }

  private Optional<Discrepancy> of(
      IpAddress source, IpAddress destination, FlowPort flow, String option) {
    return policy()
        .filter(_ -> EnforcedPolicy.isHere())
        .flatMap(
            stored ->
                FlowVerdict.find(
                    stored,
                    FlowEnd.find(stored, source.toString()),
                    FlowEnd.find(stored, destination.toString()),
                    flow,
                    !source.isV4()))
        .filter(verdict -> !verdict.isAllowed())
        .flatMap(verdict -> verdict.decisive().map(decisive -> of(verdict, decisive, option)));
  }

  private static Discrepancy of(FlowVerdict verdict, DirectionVerdict decisive, String option) {
    String pod =
        decisive.direction() == PolicyDirection.EGRESS
            ? verdict.from().name()
            : verdict.to().name();
    return new Discrepancy(
        Discrepancy.Kind.POLICY,
        "policy for %s of %s".formatted(StepText.direction(decisive.direction()), pod),
        "denies %s by %s".formatted(verdict.port(), StepText.decidedBy(decisive)),
        "",
        "if it should not: `ocicat policy explain %s %s --port %s`"
            .formatted(verdict.from().name(), verdict.to().name(), option));
  }

  /** What policy does to a pod, in sentences; none where no policy applies to it. */
  public List<String> about(String pod) {
    List<String> sentences = new ArrayList<>();
    policy()
        .ifPresent(
            stored ->
                stored.snapshot().workloads().stream()
                    .filter(workload -> workload.rank().workload().equals(pod))
                    .forEach(
                        workload ->
                            Stream.of(PolicyDirection.values())
                                .flatMap(
                                    direction -> sentence(stored, workload, direction).stream())
                                .forEach(sentences::add)));
    if (!sentences.isEmpty()) {
      sentences.add("see `ocicat policy show %s`".formatted(pod));
    }
    return sentences;
  }

  private static Optional<String> sentence(
      StoredPolicy stored, PolicyMember.Workload workload, PolicyDirection direction) {
    ApplyingPolicies applying = stored.snapshot().applying(workload, direction);
    List<TieredPolicy> policies =
        applying.tiers().stream().flatMap(tier -> tier.policies().stream()).toList();
    if (policies.isEmpty()) {
      return applying.profiles().stream()
          .filter(named -> named.profile().isEmpty())
          .findFirst()
          .map(
              named ->
                  "all its %s is denied: Profile %s does not exist"
                      .formatted(StepText.direction(direction), named.name()));
    }
    boolean open =
        policies.stream()
            .flatMap(policy -> policy.rules(direction).stream())
            .anyMatch(
                rule -> rule.action() == PolicyAction.ALLOW || rule.action() == PolicyAction.PASS);
    boolean ends = applying.tiers().stream().anyMatch(tier -> !tier.tier().passes());
    return Optional.of(
        "policy %s its %s: %s"
            .formatted(
                open || !ends ? "limits" : "denies all",
                StepText.direction(direction),
                String.join(", ", policies.stream().map(it -> it.key().describe()).toList())));
  }
}
