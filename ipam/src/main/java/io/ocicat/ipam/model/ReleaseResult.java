package io.ocicat.ipam.model;

import io.ocicat.ip.IpAddress;
import java.util.List;

/**
 * The result of releasing addresses.
 *
 * @param released the addresses that this call has released
 * @param notAssigned those that were not assigned
 * @param refused one error for each block of which nothing was released
 */
public record ReleaseResult(
    List<IpAddress> released, List<IpAddress> notAssigned, List<RuntimeException> refused) {
  public ReleaseResult {
    released = List.copyOf(released);
    notAssigned = List.copyOf(notAssigned);
    refused = List.copyOf(refused);
  }

  /** Throws the first error, with the others suppressed, if there is any. */
  public ReleaseResult orThrow() {
    if (!refused.isEmpty()) {
      RuntimeException first = refused.getFirst();
      refused.stream().skip(1).forEach(first::addSuppressed);
      throw first;
    }
    return this;
  }
}
