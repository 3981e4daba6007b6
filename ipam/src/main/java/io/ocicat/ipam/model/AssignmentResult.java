package io.ocicat.ipam.model;

import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What became of a request for addresses of one family.
 *
 * @param addresses with the length of the block each is from; of the family's full length when the
 *     handle had them before
 * @param requested how many were wanted
 * @param shortage why there are fewer; null when there are not
 * @param messages what to tell the user about the shortage
 */
public record AssignmentResult(
    IpVersion version,
    List<IpPrefix> addresses,
    int requested,
    @Nullable Shortage shortage,
    List<String> messages) {

  /** Why there are fewer addresses than wanted. */
  public enum Shortage {
    /** Every address of the pools is in use or reserved. */
    POOLS_EXHAUSTED,
    /** Every block of the host is full, there are no more, and others' must not be used. */
    NO_FREE_BLOCK,
    /** The host owns as many blocks as it may. */
    BLOCK_LIMIT,
    /** The configuration says that no new blocks are claimed. */
    NO_NEW_BLOCKS
  }

  public AssignmentResult {
    addresses = List.copyOf(addresses);
    messages = List.copyOf(messages);
  }

  public boolean isComplete() {
    return addresses.size() >= requested;
  }

  public Optional<Shortage> why() {
    return Optional.ofNullable(shortage);
  }

  /** For a person, when it is not complete. */
  public String explanation() {
    return "assigned %d out of %d requested %s addresses; %s"
        .formatted(
            addresses.size(),
            requested,
            version == IpVersion.V4 ? "IPv4" : "IPv6",
            String.join("; ", messages));
  }
}
