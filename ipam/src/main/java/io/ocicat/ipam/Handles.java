package io.ocicat.ipam;

import io.ocicat.datastore.ConflictException;
import io.ocicat.datastore.DatastoreException;
import io.ocicat.datastore.ExistsException;
import io.ocicat.datastore.IpVersion;
import io.ocicat.datastore.NotFoundException;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.ResourceKey;
import io.ocicat.datastore.UnavailableException;
import io.ocicat.datastore.json.Json;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.ip.IpPrefix;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The numbers of handles where each record is written for itself. As in Calico they are raised
 * before the block is written and lowered after it, so that at every moment, and after a crash at
 * any, a handle names every block that has addresses of it, and its number is not below the truth.
 */
final class Handles {
  private static final int ATTEMPTS = 100;

  private final Records records;
  private final Patience patience;

  Handles(Records records, Patience patience) {
    this.records = records;
    this.patience = patience;
  }

  /**
   * Counts {@code count} more addresses of a block.
   *
   * @param most how many of its family the handle may have; 0 for any number
   * @throws IpamException with HANDLE_LIMIT when it would have more
   */
  void add(String id, IpPrefix block, int count, int most) {
    Optional<Records.Stored<IpamHandle>> stored = Optional.empty();
    for (int i = 0; i < ATTEMPTS; i++) {
      try {
        if (stored.isEmpty()) {
          // Mostly it is new: to try costs less than to look first.
          records.datastore().create(new IpamHandle(id, Map.of(block, count), false).toResource());
        } else {
          checkLimit(stored.get().value(), IpVersion.of(block), count, most);
          Map<IpPrefix, Integer> counts = new TreeMap<>(stored.get().value().counts());
          counts.merge(block, count, Integer::sum);
          records
              .datastore()
              .update(new IpamHandle(id, counts, false).onto(stored.get().resource()));
        }
        return;
      } catch (ExistsException | ConflictException | NotFoundException _) {
        patience.afterConflict(i);
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
   * Counts {@code count} fewer addresses of a block; a handle without any is deleted. When it is
   * not known whether that was done it stays at that: a number that is too high is safe.
   */
  void subtract(String id, IpPrefix block, int count) {
    if (count == 0) {
      return;
    }
    for (int i = 0; i < ATTEMPTS; i++) {
      Optional<Records.Stored<IpamHandle>> stored = records.handle(id);
      if (stored.isEmpty() || !stored.get().value().counts().containsKey(block)) {
        return;
      }
      Map<IpPrefix, Integer> counts = new TreeMap<>(stored.get().value().counts());
      int left = counts.getOrDefault(block, 0) - count;
      if (left > 0) {
        counts.put(block, left);
      } else {
        counts.remove(block);
      }
      if (write(stored.get().resource(), new IpamHandle(id, counts, false))) {
        return;
      }
      patience.afterConflict(i);
    }
    throw tooManyConflicts(id);
  }

  /** The same, of what must not fail because something else has failed already. */
  void subtractQuietly(String id, IpPrefix block, int count, RuntimeException because) {
    try {
      subtract(id, block, count);
    } catch (DatastoreException | IpamException e) {
      because.addSuppressed(e);
    }
  }

  /** Replaces what was read, or deletes it when nothing is left; false when it has changed. */
  boolean write(Resource read, IpamHandle handle) {
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

  static void checkLimit(IpamHandle handle, IpVersion version, int more, int most) {
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
  static Resource pinned(String id, Optional<Records.Stored<IpamHandle>> stored) {
    return stored
        .map(Records.Stored::resource)
        .orElseGet(() -> Resource.of(new ResourceKey.Handle(id), Json.object()));
  }

  /** How many addresses of a family a handle says it has. */
  static int total(IpamHandle handle, IpVersion version) {
    return handle.counts().entrySet().stream()
        .filter(entry -> IpVersion.of(entry.getKey()) == version)
        .mapToInt(Map.Entry::getValue)
        .sum();
  }
}
