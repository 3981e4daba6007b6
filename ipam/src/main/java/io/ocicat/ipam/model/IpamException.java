package io.ocicat.ipam.model;

import org.jspecify.annotations.Nullable;

/**
 * An error of IPAM: an address cannot be assigned, found or released. Callers decide by {@link
 * #reason()}; the message is one line for a person. Datastore errors (unreachable, corrupt) are
 * {@link io.ocicat.datastore.error.DatastoreException}s.
 */
public final class IpamException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The reasons for errors. */
  public enum Reason {
    /** The request contradicts itself or has an invalid value. */
    INVALID_REQUEST,
    /** The datastore has no node of that name. */
    NO_SUCH_NODE,
    /** No enabled pool of that family exists, selects the node, or allows the use. */
    NO_POOL,
    /** A requested pool does not exist, is disabled, or is of the other family. */
    POOL_NOT_USABLE,
    /** The address is in no enabled pool. */
    OUTSIDE_POOLS,
    /** The address is already assigned. */
    ADDRESS_TAKEN,
    /** The block has another owner, and only the owner may allocate from it. */
    STRICT_AFFINITY,
    /** The handle has as many addresses as it may, and not the requested one. */
    HANDLE_LIMIT,
    /** The handle does not exist. */
    NO_SUCH_HANDLE,
    /** The address is not assigned. */
    NOT_ASSIGNED,
    /** The address was reassigned since the sequence number was read. */
    BAD_SEQUENCE_NUMBER,
    /** The address belongs to another handle. */
    BAD_HANDLE,
    /** The owner of the address is not the expected one. */
    BAD_OWNER,
    /** The block still has addresses in use. */
    BLOCK_NOT_EMPTY,
    /** The block has another owner. */
    CLAIMED_BY_OTHER,
    /** The block or its affinity does not exist. */
    NO_SUCH_BLOCK,
    /** The settings contradict each other. */
    BAD_CONFIGURATION,
    /** Every attempt lost against a concurrent change. */
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
