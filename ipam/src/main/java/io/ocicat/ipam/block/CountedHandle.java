package io.ocicat.ipam.block;

import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpPrefix;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The handle of one request for addresses of both families. Each family starts from what the other
 * has written, so that neither has to read the handle. Thread-safe.
 */
public final class CountedHandle {
  private final Handles handles;
  private final String id;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Resource last;

  CountedHandle(Handles handles, String id) {
    this.handles = handles;
    this.id = id;
  }

  /**
   * Raises the count for a block.
   *
   * @param added the handle as the same request last wrote it for this block; null when it did not
   * @param more what is missing if the handle has not changed since; may be negative
   * @param all what is missing otherwise
   */
  Resource raise(@Nullable Resource added, IpPrefix block, int more, int all, int most) {
    lock.lock();
    try {
      // The other family's write may have replaced ours after a conflict, so it proves nothing.
      boolean isKnown = added != null && last != null && added.equals(last);
      Resource written = handles.raise(id, last, block, isKnown ? more : all, all, most);
      last = written;
      return written;
    } finally {
      lock.unlock();
    }
  }
}
