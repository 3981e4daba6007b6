package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import java.util.function.Supplier;

/** Translates errors of IPAM and the datastore into CNI errors. */
final class IpamErrors {
  private IpamErrors() {}

  /**
   * Runs a datastore operation.
   *
   * @param what fails, for the user
   * @throws CniException naming the operation
   */
  static <T> T attempt(String what, Supplier<T> action) {
    try {
      return CalicoBackend.attempt(what, action);
    } catch (IpamException e) {
      throw new CniException(code(e.reason()), what + ": " + e.getMessage(), e);
    }
  }

  private static ErrorCode code(IpamException.Reason reason) {
    return switch (reason) {
      case INVALID_REQUEST, POOL_NOT_USABLE -> ErrorCode.INVALID_NETWORK_CONFIG;
      case OUTSIDE_POOLS -> ErrorCode.INVALID_ENVIRONMENT;
      // A node is registered when calico/node starts there, and an address's last owner may be
      // about to release it.
      case NO_SUCH_NODE, ADDRESS_TAKEN, TOO_MANY_CONFLICTS -> ErrorCode.TRY_AGAIN_LATER;
      case NO_POOL,
          STRICT_AFFINITY,
          HANDLE_LIMIT,
          NO_SUCH_HANDLE,
          NOT_ASSIGNED,
          BAD_SEQUENCE_NUMBER,
          BAD_HANDLE,
          BAD_OWNER,
          BLOCK_NOT_EMPTY,
          CLAIMED_BY_OTHER,
          NO_SUCH_BLOCK,
          BAD_CONFIGURATION ->
          ErrorCode.INTERNAL;
    };
  }
}
