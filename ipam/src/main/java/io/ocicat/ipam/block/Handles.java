package io.ocicat.ipam.block;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.RetryBackoff;
import io.ocicat.ipam.model.IpamException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Maintains the per-block counts of handles for datastores without transactions. As in Calico, a
 * count is raised before the block is written and lowered after it, so that at any time, and after
 * a crash at any point, a handle names every block that has addresses of it, and its count is not
 * below the truth.
 *
 * <p>To lower a count, a process reads the handle, then writes the block, and then sets the count
 * to what the block had, if the handle is unchanged. So a count that was left too high can be
 * corrected at any time, and nothing is subtracted twice. This is safe against a process that reads
 * the block first, then counts, and then writes the block if it is unchanged: one of the two
 * detects the other. A process that has to start over from another revision of the block therefore
 * has to change the handle again.
 */
public final class Handles {
  private static final int ATTEMPTS = 100;

  private final IpamRecords records;
  private final RetryBackoff backoff;

  public Handles(IpamRecords records, RetryBackoff backoff) {
    this.records = records;
    this.backoff = backoff;
  }

  /**
   * Raises a handle's count for a block, and writes the handle in any case: a process that has read
   * it before can no longer lower the count. Kubernetes ignores a write that changes nothing, so
   * the count is raised by at least one.
   *
   * @param known the handle as it was last written; null when it is assumed not to exist
   * @param more what is missing if the handle is as known
   * @param all what is missing if it has changed, as everything that was added before may be lost
   * @param most how many of its family the handle may have; 0 for any number
   * @return the handle as written
   * @throws IpamException with HANDLE_LIMIT when it would have more
   */
  Resource raise(String id, @Nullable Resource known, IpPrefix block, int more, int all, int most) {
    Optional<IpamRecords.Stored<IpamHandle>> stored = IpamRecords.toHandle(known);
    int count = more;
    for (int i = 0; i < ATTEMPTS; i++) {
      try {
        if (stored.isEmpty()) {
          // Mostly the handle is new: trying to create it costs less than reading first.
          return records
              .datastore()
              .create(new IpamHandle(id, Map.of(block, all), false).toResource());
        } else {
          checkLimit(stored.get().value(), IpVersion.of(block), count, most);
          Map<IpPrefix, Integer> counts = new TreeMap<>(stored.get().value().counts());
          counts.merge(block, Math.max(1, count), Integer::sum);
          return records
              .datastore()
              .update(new IpamHandle(id, counts, false).applyTo(stored.get().resource()));
        }
      } catch (ExistsException | ConflictException | NotFoundException _) {
        backoff.afterConflict(i);
      } catch (UnavailableException e) {
        // Counting twice is safe, not counting at all is not.
        if (!e.outcomeUnknown()) {
          throw e;
        }
      }
      stored = records.handle(id);
      count = all;
    }
    throw tooManyConflicts(id);
  }

  /**
   * Sets the count for a block to what the block had when it was written after this handle was
   * read; false when the handle has changed since.
   */
  public boolean set(IpamRecords.Stored<IpamHandle> read, IpPrefix block, int count) {
    Map<IpPrefix, Integer> counts = new TreeMap<>(read.value().counts());
    if (count == 0) {
      counts.remove(block);
    } else {
      counts.put(block, count);
    }
    return (counts.equals(read.value().counts()) && !counts.isEmpty())
        || write(read.resource(), new IpamHandle(read.value().id(), counts, false));
  }

  /** Deletes the handle as read; false when it has changed, or when the outcome is unknown. */
  public boolean delete(Resource read) {
    try {
      records.datastore().delete(read);
      return true;
    } catch (NotFoundException _) {
      return true;
    } catch (ConflictException _) {
      return false;
    } catch (UnavailableException e) {
      if (e.outcomeUnknown()) {
        return false;
      }
      throw e;
    }
  }

  /** Replaces the handle as read, or deletes it when nothing is left; false when it has changed. */
  public boolean write(Resource read, IpamHandle handle) {
    try {
      if (handle.counts().isEmpty()) {
        records.datastore().delete(read);
      } else {
        records.datastore().update(handle.applyTo(read));
      }
      return true;
    } catch (ConflictException _) {
      return false;
    } catch (NotFoundException _) {
      return true;
    } catch (UnavailableException e) {
      if (e.outcomeUnknown()) {
        return true;
      }
      throw e;
    }
  }

  public static void checkLimit(IpamHandle handle, IpVersion version, int more, int most) {
    int has = total(handle, version);
    if (most > 0 && more > 0 && has + more > most) {
      throw new IpamException(
          IpamException.Reason.HANDLE_LIMIT,
          "handle %s has %d addresses and may have %d, so it cannot have %d more"
              .formatted(handle.id(), has, most, more));
    }
  }

  private static IpamException tooManyConflicts(String id) {
    return new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "handle %s was changed by others each of %d times: try again".formatted(id, ATTEMPTS));
  }

  /** Returns the handle to depend on: the stored one, or a new one without a revision. */
  public static Resource pinned(String id, Optional<IpamRecords.Stored<IpamHandle>> stored) {
    return stored
        .map(IpamRecords.Stored::resource)
        .orElseGet(() -> Resource.of(new ResourceKey.Handle(id), Json.object()));
  }

  /** Sums the counts of a handle for one family. */
  public static int total(IpamHandle handle, IpVersion version) {
    return handle.counts().entrySet().stream()
        .filter(entry -> IpVersion.of(entry.getKey()) == version)
        .mapToInt(Map.Entry::getValue)
        .sum();
  }
}
