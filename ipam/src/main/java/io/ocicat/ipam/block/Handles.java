package io.ocicat.ipam.block;

import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.json.Json;
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
 * The numbers of handles where each record is written for itself. As in Calico they are raised
 * before the block is written and lowered after it, so that at every moment, and after a crash at
 * any, a handle names every block that has addresses of it, and its number is not below the truth.
 *
 * <p>A number is lowered by whoever reads the handle, then writes the block, and then makes the
 * handle say what the block then had, if the handle is still the same. So what somebody left too
 * high can be put right at any time, and nothing is taken off twice. That harms nobody who reads
 * the block first, then counts, and then writes the block if it is still the same: one of the two
 * finds that the other was faster. So whoever has to start from another block has to count, or at
 * least to write the handle, again.
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
   * Counts {@code count} more addresses of a block.
   *
   * @param known the handle as it was last written; null when it is taken to be new
   * @param most how many of its family the handle may have; 0 for any number
   * @return the handle as it is then
   * @throws IpamException with HANDLE_LIMIT when it would have more
   */
  public Resource add(String id, @Nullable Resource known, IpPrefix block, int count, int most) {
    Optional<IpamRecords.Stored<IpamHandle>> stored = IpamRecords.toHandle(known);
    for (int i = 0; i < ATTEMPTS; i++) {
      try {
        if (stored.isEmpty()) {
          // Mostly it is new: to try costs less than to look first.
          return records
              .datastore()
              .create(new IpamHandle(id, Map.of(block, count), false).toResource());
        } else {
          checkLimit(stored.get().value(), IpVersion.of(block), count, most);
          Map<IpPrefix, Integer> counts = new TreeMap<>(stored.get().value().counts());
          counts.merge(block, count, Integer::sum);
          return records
              .datastore()
              .update(new IpamHandle(id, counts, false).onto(stored.get().resource()));
        }
      } catch (ExistsException | ConflictException | NotFoundException _) {
        backoff.afterConflict(i);
      } catch (UnavailableException e) {
        // To count twice is safe, not to count at all is not.
        if (!e.outcomeUnknown()) {
          throw e;
        }
      }
      stored = records.handle(id);
    }
    throw tooManyConflicts(id);
  }

  /**
   * Writes once more what {@link #add} wrote, so that whoever has looked at the handle before now
   * cannot take the number away; counts anew when somebody has changed it.
   */
  public Resource renew(Resource added, IpPrefix block, int count, int most) {
    try {
      return records.datastore().update(added);
    } catch (ConflictException | NotFoundException _) {
      return add(added.key().name(), null, block, count, most);
    } catch (UnavailableException e) {
      if (e.outcomeUnknown()) {
        return add(added.key().name(), null, block, count, most);
      }
      throw e;
    }
  }

  /**
   * Makes the number for a block what the block was found to have when it was written after this
   * handle was read; false when somebody has changed the handle since.
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

  /** Deletes what was read; false when it has changed, or nobody knows. */
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

  /** Replaces what was read, or deletes it when nothing is left; false when it has changed. */
  public boolean write(Resource read, IpamHandle handle) {
    try {
      if (handle.counts().isEmpty()) {
        records.datastore().delete(read);
      } else {
        records.datastore().update(handle.onto(read));
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
    if (most > 0 && has + more > most) {
      throw new IpamException(
          IpamException.Reason.HANDLE_LIMIT,
          "handle %s has %d addresses and may have %d, so it gets no %d more"
              .formatted(handle.id(), has, most, more));
    }
  }

  private static IpamException tooManyConflicts(String id) {
    return new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "handle %s was changed by others each of %d times: try again".formatted(id, ATTEMPTS));
  }

  /** The handle to rely on: as it is, or a new one of no revision. */
  public static Resource pinned(String id, Optional<IpamRecords.Stored<IpamHandle>> stored) {
    return stored
        .map(IpamRecords.Stored::resource)
        .orElseGet(() -> Resource.of(new ResourceKey.Handle(id), Json.object()));
  }

  /** How many addresses of a family a handle says it has. */
  public static int total(IpamHandle handle, IpVersion version) {
    return handle.counts().entrySet().stream()
        .filter(entry -> IpVersion.of(entry.getKey()) == version)
        .mapToInt(Map.Entry::getValue)
        .sum();
  }
}
