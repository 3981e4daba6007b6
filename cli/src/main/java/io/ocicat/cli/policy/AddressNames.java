package io.ocicat.cli.policy;

import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.ConnectionOptions;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.ip.IpAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Pods and nodes by their addresses, read again when an unknown address turns up, but not often:
 * most unknown addresses are outside of the cluster. A datastore that cannot be read has no names.
 */
final class AddressNames {
  private static final Duration LEAST = Duration.ofSeconds(5);

  private final ConnectionOptions connection;
  private final CommandContext context;
  private final InstantSource clock;
  private Optional<StoredPolicy> known = Optional.empty();
  private Instant read = Instant.EPOCH;

  AddressNames(ConnectionOptions connection, CommandContext context, InstantSource clock) {
    this.connection = connection;
    this.context = context;
    this.clock = clock;
  }

  Optional<String> find(IpAddress address) {
    return known(address)
        .or(
            () -> {
              if (clock.instant().isAfter(read.plus(LEAST))) {
                refresh();
              }
              return known(address);
            });
  }

  private Optional<String> known(IpAddress address) {
    return known.flatMap(
        policy ->
            policy
                .snapshot()
                .workload(address)
                .map(PolicyMember.Workload::rank)
                .map(PolicyMember.Rank::workload)
                .or(() -> Optional.ofNullable(policy.nodes().get(address))));
  }

  private void refresh() {
    read = clock.instant();
    try (Datastore datastore = connection.open(context)) {
      known = Optional.of(StoredPolicy.read(datastore));
    } catch (DatastoreException _) {
      // Addresses are shown as they are.
    }
  }
}
