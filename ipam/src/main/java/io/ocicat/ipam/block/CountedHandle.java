package io.ocicat.ipam.block;

import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpPrefix;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The handle of one request for addresses of both families: what one has written is what the other
 * starts from, so that neither has to read it. Thread-safe.
 */
public final class CountedHandle {
  private final Handles handles;
  private final String id;
  private @Nullable Resource last;

  public CountedHandle(Handles handles, String id) {
    this.handles = handles;
    this.id = id;
  }

  public synchronized Resource add(IpPrefix block, int count, int most) {
    return remember(handles.add(id, last, block, count, most));
  }

  /**
   * Writes once more what was added; null when the other family has written since: then nobody can
   * tell whether that still has it.
   */
  public synchronized @Nullable Resource renew(
      Resource added, IpPrefix block, int count, int most) {
    return Objects.equals(added, last) ? remember(handles.renew(added, block, count, most)) : null;
  }

  private Resource remember(Resource written) {
    last = written;
    return written;
  }
}
