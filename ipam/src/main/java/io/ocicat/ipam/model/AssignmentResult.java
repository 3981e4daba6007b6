package io.ocicat.ipam.model;

import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The addresses assigned for a request, of one family.
 *
 * @param addresses with the prefix length of the block each is from; with the family's full length
 *     when the handle had them before
 * @param requested how many were requested
 * @param shortage why there are fewer; null when there are not
 * @param messages explanations of the shortage for the user
 */
public record AssignmentResult(
    IpVersion version,
    List<IpPrefix> addresses,
    int requested,
    @Nullable Shortage shortage,
    List<String> messages) {

  /** Why there are fewer addresses than requested. */
  public enum Shortage {
    /** Every address of the pools is in use or reserved. */
    POOLS_EXHAUSTED,
    /**
     * Every block of the host is full, no block is left to claim, and strict affinity forbids
     * borrowing.
     */
    NO_FREE_BLOCK,
    /** The host owns as many blocks as it may. */
    BLOCK_LIMIT,
    /** The configuration forbids claiming new blocks. */
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

  /** Explains an incomplete result to a person. */
  public String explanation() {
    return "assigned %d out of %d requested %s addresses; %s"
        .formatted(
            addresses.size(),
            requested,
            version == IpVersion.V4 ? "IPv4" : "IPv6",
            String.join("; ", messages));
  }
}
