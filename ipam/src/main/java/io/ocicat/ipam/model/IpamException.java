package io.ocicat.ipam.model;

import org.jspecify.annotations.Nullable;

/**
 * Why an address cannot be given, found or released. Callers decide by {@link #reason()}; the
 * message is one line for a person. What the datastore itself has to say (unreachable, corrupt)
 * comes as its own {@link io.ocicat.datastore.error.DatastoreException}.
 */
public final class IpamException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Closed set of reasons. */
  public enum Reason {
    /** The request contradicts itself or names something that cannot be. */
    INVALID_REQUEST,
    /** The datastore knows no node of that name. */
    NO_SUCH_NODE,
    /** No enabled pool of that family is there, selects the node, or allows the use. */
    NO_POOL,
    /** A pool that was asked for does not exist, is disabled, or is of the other family. */
    POOL_NOT_USABLE,
    /** The address is in no enabled pool. */
    OUTSIDE_POOLS,
    /** Somebody has that address. */
    ADDRESS_TAKEN,
    /** The block belongs to somebody else and only its owner may take addresses. */
    STRICT_AFFINITY,
    /** The handle has as many addresses as it may, and not the one asked for. */
    HANDLE_LIMIT,
    /** There is no such handle. */
    NO_SUCH_HANDLE,
    /** Nobody has that address. */
    NOT_ASSIGNED,
    /** The address was given anew since the sequence number was read. */
    BAD_SEQUENCE_NUMBER,
    /** The address belongs to another handle. */
    BAD_HANDLE,
    /** The owner of the address is not the one that was expected. */
    BAD_OWNER,
    /** The block still has addresses in use. */
    BLOCK_NOT_EMPTY,
    /** The block belongs to somebody else. */
    CLAIMED_BY_OTHER,
    /** The block or its affinity is not there. */
    NO_SUCH_BLOCK,
    /** The settings contradict each other. */
    BAD_CONFIGURATION,
    /** Others were faster every time. */
    TOO_MANY_CONFLICTS
  }

  private final Reason reason;

  public IpamException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public IpamException(Reason reason, String message) {
    this(reason, message, null);
  }

  public Reason reason() {
    return reason;
  }
}
