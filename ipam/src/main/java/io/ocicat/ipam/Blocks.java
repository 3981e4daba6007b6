package io.ocicat.ipam;

import io.ocicat.datastore.DatastoreException;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.ResourceKey;
import io.ocicat.datastore.UnavailableException;
import io.ocicat.datastore.Write;
import io.ocicat.datastore.WriteOutcome;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes addresses from blocks and gives them back, with the handles' numbers right. Thread-safe.
 */
final class Blocks {
  private static final int MOST = 1024;
  private static final int GUESSES = 100;

  private final Records records;
  private final Handles handles;
  private final RecentHandles recent = new RecentHandles();
  private final Patience patience;
  private final LongSupplier nanoTime;
  private final Map<IpPrefix, BlockQueue> queues =
      Collections.synchronizedMap(
          new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<IpPrefix, BlockQueue> eldest) {
              return size() > MOST;
            }
          });

  Blocks(Records records, Handles handles, Patience patience, LongSupplier nanoTime) {
    this.records = records;
    this.handles = handles;
    this.patience = patience;
    this.nanoTime = nanoTime;
  }

  /**
   * Who wants addresses.
   *
   * @param onlyOf who the block must belong to; null when that does not matter
   * @param mostPerHandle how many of a family its handle may have; 0 for any number
   * @param pinned the handle it relies on for that; null when it does not
   * @param conditions what else it relies on
   */
  record Taker(
      IpamBlock.Attributes attributes,
      @Nullable BlockOwner onlyOf,
      int mostPerHandle,
      @Nullable Resource pinned,
      List<Write.Expect> conditions) {

    private void check(BlockEdit edit) {
      if (onlyOf != null && !onlyOf.toString().equals(edit.affinity())) {
        throw new IpamException(
            IpamException.Reason.STRICT_AFFINITY,
            "block %s belongs to %s, and with strict affinity only its owner may use it, not %s"
                .formatted(edit.cidr(), edit.affinity(), onlyOf));
      }
    }

    private Set<String> handles() {
      return attributes.handle() == null ? Set.of() : Set.of(attributes.handle());
    }
  }

  BlockQueue queue(IpPrefix cidr) {
    return queues.computeIfAbsent(
        cidr, block -> new BlockQueue(block, records, recent, patience, nanoTime));
  }

  /** Takes up to {@code count} addresses that are not reserved; none is no error. */
  List<IpAddress> take(IpPrefix cidr, int count, Taker taker, Reservations reservations) {
    BlockQueue queue = queue(cidr);
    int wanted = count;
    if (!records.together() && taker.attributes().handle() != null) {
      wanted =
          queue
              .glanceOrRead()
              .map(block -> new BlockEdit(block.value()).available(reservations))
              .filter(available -> available > 0)
              .or(
                  () ->
                      queue
                          .read()
                          .map(block -> new BlockEdit(block.value()).available(reservations)))
              .map(available -> Math.min(count, available))
              .orElseThrow(() -> noSuchBlock(cidr));
      if (wanted == 0) {
        return List.of();
      }
    }
    int most = wanted;
    return counted(
        cidr,
        most,
        taker,
        new BlockRequest<>(
            edit -> {
              taker.check(edit);
              return addresses(edit, edit.take(most, taker.attributes(), reservations));
            },
            taken -> taken.size() == most,
            taker.handles(),
            taker.pinned(),
            taker.conditions(),
            null));
  }

  /** Takes this address. */
  void takeOne(IpPrefix cidr, IpAddress address, Taker taker) {
    counted(
        cidr,
        1,
        taker,
        new BlockRequest<>(
            edit -> {
              taker.check(edit);
              int ordinal = BlockEdit.ordinal(cidr, address);
              IpamBlock.Attributes owner = edit.attributes(ordinal);
              if (owner != null) {
                throw new IpamException(
                    IpamException.Reason.ADDRESS_TAKEN,
                    "address %s is already assigned, to handle %s: release it, or take another"
                        .formatted(address, owner.handle()));
              }
              edit.give(List.of(ordinal), taker.attributes());
              return List.of(address);
            },
            _ -> true,
            taker.handles(),
            taker.pinned(),
            taker.conditions(),
            null));
  }

  private List<IpAddress> counted(
      IpPrefix cidr, int count, Taker taker, BlockRequest<List<IpAddress>> request) {
    String handle = taker.attributes().handle();
    if (records.together() || handle == null) {
      return queue(cidr).perform(request);
    }
    return countedFirst(cidr, count, taker, handle, request);
  }

  /** The block is read, then counted, then written: see {@link Handles} for why in this order. */
  private List<IpAddress> countedFirst(
      IpPrefix cidr, int count, Taker taker, String handle, BlockRequest<List<IpAddress>> request) {
    BlockQueue queue = queue(cidr);
    @Nullable Resource added = null;
    try {
      for (int i = 0; i < GUESSES; i++) {
        String base =
            queue
                .glanceOrRead()
                .map(block -> block.resource().revision())
                .orElseThrow(() -> noSuchBlock(cidr));
        added =
            added == null
                ? handles.add(handle, cidr, count, taker.mostPerHandle())
                : handles.renew(added, cidr, count, taker.mostPerHandle());
        try {
          List<IpAddress> taken = queue.perform(request.startingFrom(base));
          if (taken.size() < count) {
            recountQuietly(handle, cidr);
          }
          return taken;
        } catch (StaleViewException _) {
          patience.afterConflict(i);
        }
      }
      throw tooManyConflicts(cidr);
    } catch (RuntimeException e) {
      boolean unknown = e instanceof UnavailableException lost && lost.outcomeUnknown();
      if (added != null && !unknown) {
        recountQuietly(handle, cidr);
      }
      throw e;
    }
  }

  /** A number that stays too high is safe, and the next who looks puts it right. */
  private void recountQuietly(String handle, IpPrefix cidr) {
    try {
      records.handle(handle).ifPresent(now -> recount(cidr, now));
    } catch (DatastoreException | IpamException _) {
      // What has happened to the request matters more.
    }
  }

  private static IpamException noSuchBlock(IpPrefix cidr) {
    return new IpamException(
        IpamException.Reason.NO_SUCH_BLOCK, "block %s does not exist".formatted(cidr));
  }

  private static IpamException tooManyConflicts(IpPrefix cidr) {
    return new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "block %s was changed by others each of %d times: try again".formatted(cidr, GUESSES));
  }

  private static List<IpAddress> addresses(BlockEdit edit, List<Integer> ordinals) {
    return ordinals.stream().map(edit::address).toList();
  }

  /** What a release has done to one block. */
  record Outcome(List<IpAddress> released, List<IpAddress> notAssigned) {}

  /** Gives addresses of one block back, all or none. */
  Outcome release(IpPrefix cidr, List<Release> releases) {
    // Whose they are is only known from the block; a guess is made from what is known of it, and
    // when it was wrong the block was old and is read again.
    for (int i = 0; i < GUESSES; i++) {
      Set<String> guess = concerned(cidr, releases);
      try {
        List<Records.Stored<IpamHandle>> before =
            records.together()
                ? List.of()
                : guess.stream().map(records::handle).flatMap(Optional::stream).toList();
        Pending<Outcome> served =
            queue(cidr)
                .serve(
                    new BlockRequest<>(
                        edit -> releaseFrom(edit, releases, guess),
                        released -> released.notAssigned().isEmpty(),
                        guess));
        Outcome outcome = served.answer();
        for (Records.Stored<IpamHandle> handle : before) {
          if (outcome.released().isEmpty()) {
            // Released by somebody else, or by us when no answer came.
            recountQuietly(handle.value().id(), cidr);
          } else {
            settle(handle, cidr, served.count(handle.value().id()));
          }
        }
        return outcome;
      } catch (StaleViewException _) {
        queue(cidr).learn(null);
      }
    }
    throw tooManyConflicts(cidr);
  }

  /** The block was written after the handle was read: what it had then is what counts. */
  private void settle(Records.Stored<IpamHandle> handle, IpPrefix cidr, int count) {
    try {
      if (handles.set(handle, cidr, count)) {
        return;
      }
    } catch (UnavailableException _) {
      // The addresses are released; the number is put right below, or by the next who looks.
    }
    recountQuietly(handle.value().id(), cidr);
  }

  private Set<String> concerned(IpPrefix cidr, List<Release> releases) {
    BlockQueue queue = queue(cidr);
    IpamBlock block = queue.glance().or(() -> queue.read().map(Records.Stored::value)).orElse(null);
    if (block == null) {
      throw noSuchBlock(cidr);
    }
    BlockEdit edit = new BlockEdit(block);
    Set<String> handles = new TreeSet<>();
    for (Release release : releases) {
      IpamBlock.Attributes owner = edit.attributes(BlockEdit.ordinal(cidr, release.address()));
      if (owner != null && owner.handle() != null) {
        handles.add(Conventions.sanitize(owner.handle()));
      }
    }
    return handles;
  }

  private static Outcome releaseFrom(BlockEdit edit, List<Release> releases, Set<String> guess) {
    TreeSet<Integer> ordinals = new TreeSet<>();
    Set<IpAddress> notAssigned = new TreeSet<>();
    for (Release release : releases) {
      int ordinal = BlockEdit.ordinal(edit.cidr(), release.address());
      if (mayRelease(edit, ordinal, release)) {
        ordinals.add(ordinal);
      } else {
        notAssigned.add(release.address());
      }
    }
    Set<String> concerned = new TreeSet<>();
    for (int ordinal : ordinals) {
      IpamBlock.Attributes owner = edit.attributes(ordinal);
      if (owner != null && owner.handle() != null) {
        concerned.add(Conventions.sanitize(owner.handle()));
      }
    }
    if (!guess.containsAll(concerned)) {
      throw new StaleViewException("other handles are concerned");
    }
    List<IpAddress> released = addresses(edit, List.copyOf(ordinals));
    edit.free(ordinals);
    return new Outcome(released, List.copyOf(notAssigned));
  }

  private static boolean mayRelease(BlockEdit edit, int ordinal, Release release) {
    Long sequence = release.sequenceNumber();
    if (sequence != null && sequence != edit.allocatedAt(ordinal)) {
      throw new IpamException(
          IpamException.Reason.BAD_SEQUENCE_NUMBER,
          "address %s is not released: it was assigned with sequence number %d, not %d, so somebody got it since"
              .formatted(release.address(), edit.allocatedAt(ordinal), sequence));
    }
    IpamBlock.Attributes owner = edit.attributes(ordinal);
    if (owner == null || owner.isCoolingDown()) {
      return false;
    }
    String handle = release.handle();
    if (handle != null
        && !Conventions.sanitize(handle)
            .equals(owner.handle() == null ? null : Conventions.sanitize(owner.handle()))) {
      throw new IpamException(
          IpamException.Reason.BAD_HANDLE,
          "address %s is not released: it belongs to handle %s, not %s"
              .formatted(release.address(), owner.handle(), handle));
    }
    return true;
  }

  /**
   * Gives back all that a handle has of a block, and the handle no longer names the block.
   *
   * <p>When the block has nothing of the handle, somebody may have counted and not yet written, or
   * have died in between. The block is then written all the same, so that such a write fails and
   * its writer counts again; only then the number goes.
   */
  HandleReleased releaseHandle(IpPrefix cidr, Records.Stored<IpamHandle> handle) {
    String id = handle.value().id();
    Pending<List<IpAddress>> served =
        queue(cidr)
            .serve(
                new BlockRequest<>(
                    edit -> {
                      List<Integer> ordinals = edit.ordinalsOf(id);
                      edit.touch();
                      List<IpAddress> addresses = addresses(edit, ordinals);
                      edit.free(ordinals);
                      return addresses;
                    },
                    addresses -> !addresses.isEmpty(),
                    Set.of(id)));
    List<IpAddress> released;
    try {
      released = served.answer();
    } catch (IpamException e) {
      if (e.reason() != IpamException.Reason.NO_SUCH_BLOCK) {
        throw e;
      }
      dropEntry(cidr, handle);
      return new HandleReleased(List.of(), false);
    }
    if (!records.together()) {
      handles.set(handle, cidr, served.count(id));
    }
    return new HandleReleased(released, served.hasDeleted(id));
  }

  /**
   * What was released of one block.
   *
   * @param isGone whether the handle is known to have had no other block, and is gone
   */
  record HandleReleased(List<IpAddress> addresses, boolean isGone) {}

  /**
   * Makes a handle's number for a block what the block says. The block is written as well, so that
   * whoever has counted and not yet written counts again.
   */
  void recount(IpPrefix cidr, Records.Stored<IpamHandle> handle) {
    String id = handle.value().id();
    int count;
    try {
      count = recount(id, cidr);
    } catch (IpamException e) {
      if (e.reason() != IpamException.Reason.NO_SUCH_BLOCK) {
        throw e;
      }
      dropEntry(cidr, handle);
      return;
    }
    if (!records.together()) {
      handles.set(handle, cidr, count);
    }
  }

  /** The same, where both are written at one moment; else the handle is the caller's business. */
  int recount(String id, IpPrefix cidr) {
    Pending<Boolean> served =
        queue(cidr)
            .serve(
                new BlockRequest<>(
                    edit -> {
                      edit.touch();
                      return true;
                    },
                    _ -> true,
                    Set.of(id)));
    served.answer();
    return served.count(id);
  }

  /** Deletes a handle that names no block. */
  void drop(Records.Stored<IpamHandle> handle) {
    handles.write(handle.resource(), new IpamHandle(handle.value().id(), Map.of(), false));
    recent.learn(handle.resource().key(), null);
  }

  /** The block is gone, and with it every write that was meant for it. */
  private void dropEntry(IpPrefix cidr, Records.Stored<IpamHandle> handle) {
    IpamHandle left = without(cidr, handle.value());
    if (!records.together()) {
      handles.write(handle.resource(), left);
      return;
    }
    Write write =
        left.counts().isEmpty()
            ? new Write.Delete(handle.resource())
            : new Write.Update(left.onto(handle.resource()));
    WriteOutcome outcome =
        records
            .datastore()
            .commit(List.of(new Write.Expect(new ResourceKey.Block(cidr), ""), write));
    recent.learn(
        handle.resource().key(),
        outcome instanceof WriteOutcome.Done done
            ? done.stored().get(handle.resource().key())
            : null);
  }

  private static IpamHandle without(IpPrefix cidr, IpamHandle handle) {
    Map<IpPrefix, Integer> counts = new TreeMap<>(handle.counts());
    counts.remove(cidr);
    return new IpamHandle(handle.id(), counts, false);
  }

  /** Changes what is noted of an address. */
  void changeOwner(IpPrefix cidr, Consumer<BlockEdit> change) {
    queue(cidr)
        .perform(
            new BlockRequest<>(
                edit -> {
                  change.accept(edit);
                  return true;
                },
                _ -> true,
                Set.of()));
  }

  /** Forgets everything that was read. */
  void forget() {
    queues.clear();
    recent.clear();
  }
}
