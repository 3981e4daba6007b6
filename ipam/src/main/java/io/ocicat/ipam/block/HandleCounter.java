package io.ocicat.ipam.block;

import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Raises a handle's number before a block is written that gives it addresses, where each record is
 * written for itself: see {@link Handles} for why in this order. For one request, by one thread at
 * a time.
 */
public final class HandleCounter implements BlockRequest.Counter<List<IpAddress>> {
  private final CountedHandle handle;
  private final IpPrefix cidr;
  private final int most;
  private @Nullable Resource added;
  private String base = "";
  private int counted;

  public HandleCounter(CountedHandle handle, IpPrefix cidr, int most) {
    this.handle = handle;
    this.cidr = cidr;
    this.most = most;
  }

  @Override
  public void count(String from, List<IpAddress> given) {
    if (given.isEmpty()) {
      return;
    }
    Resource known = added;
    if (known != null && !from.equals(base)) {
      known = handle.renew(known, cidr, counted, most);
    }
    // To count twice is safe; it is put right once the block is written.
    int more = known == null ? given.size() : given.size() - counted;
    if (more > 0) {
      known = handle.add(cidr, more, most);
      counted += more;
    }
    added = known;
    base = from;
  }

  /** The handle as it was last written; null when nothing was counted. */
  public @Nullable Resource added() {
    return added;
  }

  /** How many addresses the handle's number was raised by. */
  public int counted() {
    return counted;
  }
}
