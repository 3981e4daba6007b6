package io.ocicat.ipam.model;

import io.ocicat.ip.IpAddress;
import java.util.List;

/**
 * What became of addresses that were to be released.
 *
 * @param released those nobody has any more because of this
 * @param notAssigned those nobody had
 * @param refused one for each block nothing of which was released, with the reason
 */
public record ReleaseResult(
    List<IpAddress> released, List<IpAddress> notAssigned, List<RuntimeException> refused) {
  public ReleaseResult {
    released = List.copyOf(released);
    notAssigned = List.copyOf(notAssigned);
    refused = List.copyOf(refused);
  }

  /** Throws the first reason, with the others suppressed, if there is any. */
  public ReleaseResult orThrow() {
    if (!refused.isEmpty()) {
      RuntimeException first = refused.getFirst();
      refused.stream().skip(1).forEach(first::addSuppressed);
      throw first;
    }
    return this;
  }
}
