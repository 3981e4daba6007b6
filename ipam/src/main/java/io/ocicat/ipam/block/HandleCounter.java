package io.ocicat.ipam.block;

import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Raises a handle's count before a block is written that assigns addresses to it, in a datastore
 * without transactions; {@link Handles} explains the order. For one request, by one thread at a
 * time.
 */
final class HandleCounter implements BlockRequest.Counter<List<IpAddress>> {
  private final CountedHandle handle;
  private final IpPrefix cidr;
  private final int most;
  private @Nullable Resource added;
  private String base = "";
  private int certain;
  private boolean isTooHigh;

  HandleCounter(CountedHandle handle, IpPrefix cidr, int most) {
    this.handle = handle;
    this.cidr = cidr;
    this.most = most;
  }

  @Override
  public void count(String from, List<IpAddress> allocated) {
    int all = allocated.size();
    int more = all - certain;
    boolean isCounted = added != null && from.equals(base);
    if (all == 0 || (isCounted && more <= 0)) {
      return;
    }
    isTooHigh |= added != null;
    // The block has changed, and others may have read the handle before: it must change as well.
    added = handle.raise(added, cidr, more, all, most);
    certain = all;
    base = from;
  }

  /** The handle as it was last written; null when nothing was counted. */
  @Nullable Resource added() {
    return added;
  }

  /** How many addresses the handle surely counts for this request, as it was last written. */
  int certain() {
    return certain;
  }

  /** Whether it may count more than that. */
  boolean isTooHigh() {
    return isTooHigh;
  }
}
