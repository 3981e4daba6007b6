package io.ocicat.daemon.call;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Reason;
import io.ocicat.cni.exec.Reply;
import io.ocicat.cni.exec.Verb;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.State;
import io.ocicat.daemon.trace.Phase;
import io.ocicat.netlink.NetlinkException;
import io.ocicat.netlink.linux.RangeLock;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;

/**
 * Makes calls so that none is ever half done for long: one at a time for each attachment, noted in
 * the journal before it begins, undone when its caller has gone before it ended. The daemon and a
 * JVM that makes a single call both use it, on the same {@link State}. Thread-safe.
 */
public final class CallRunner {
  private static final Duration LONGEST_GATE = Duration.ofSeconds(5);

  private final State state;
  private final OurExecutables ours;
  private final Notes notes;
  private final Execution execution;
  private final Detaching detaching;
  private final Attaching attaching;
  private final Tombstones tombstones = new Tombstones();
  private volatile boolean refusesAdds;

  /** GC knows of no attachment that is just being made, so it is alone. */
  private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock(true);

  /**
   * @param finishesLater whether somebody tries again what DEL cannot do now
   */
  public CallRunner(State state, OurExecutables ours, boolean finishesLater, Clock clock) {
    this.state = state;
    this.ours = ours;
    this.notes = new Notes(state, clock);
    this.execution = new Execution(state, ours);
    this.detaching = new Detaching(state, notes, execution, ours, finishesLater);
    this.attaching = new Attaching(state, notes, execution, detaching);
  }

  /** From now on no ADD begins: the machine is going down, and would take it along. */
  public void refuseAdds() {
    refusesAdds = true;
  }

  /** The plugin that serves a name. */
  public Optional<Plugin> plugin(String name) {
    return ours.named(name);
  }

  /** How many ADDs came after the DEL of what they were to add. */
  public long lateAdds() {
    return tombstones.hits();
  }

  /**
   * Makes a call.
   *
   * @param callerIsGone whether nobody waits for the answer any more
   */
  public Reply run(PluginCall call, BooleanSupplier callerIsGone) {
    Optional<AttachmentKey> key = call.key();
    Optional<Verb> verb = call.verb();
    boolean changes = verb.filter(v -> v == Verb.ADD || v == Verb.DEL).isPresent();
    boolean nested =
        key.isPresent() && call.variable(CallersExec.WITHIN).equals(key.get().toString());
    if (verb.equals(Optional.of(Verb.GC))) {
      return gc(call);
    }
    if (key.isEmpty() || !changes || nested) {
      return execution.run(call);
    }
    gate.readLock().lock();
    try {
      return locked(call, key.get(), verb.get(), callerIsGone);
    } finally {
      gate.readLock().unlock();
    }
  }

  private Reply locked(
      PluginCall call, AttachmentKey key, Verb verb, BooleanSupplier callerIsGone) {
    Duration patience = call.deadline().remaining();
    if (verb == Verb.DEL && patience.compareTo(Detaching.SHORTEST) < 0) {
      patience = Detaching.SHORTEST;
    }
    long asked = System.nanoTime();
    Optional<RangeLock> lock;
    try {
      lock = state.lock(key, patience);
    } catch (NetlinkException e) {
      // No ADD gets past here either, so a DEL has nobody to fear.
      return verb == Verb.DEL
          ? del(call, key)
          : call.failure(
              new CniException(
                  ErrorCode.IO_FAILURE,
                  "cannot lock attachment %s: %s".formatted(key, e.getMessage()),
                  "nothing was changed; make " + state.journal().path().getParent() + " writable"));
    }
    Execution.trace(Phase.QUEUE, "lock of " + key, asked);
    if (lock.isEmpty()) {
      return call.failure(
          new CniException(
                  ErrorCode.TRY_AGAIN_LATER,
                  "another call for %s is still under way".formatted(key))
              .because(Reason.TIMED_OUT));
    }
    try (RangeLock _ = lock.get()) {
      return verb == Verb.ADD ? add(call, key, callerIsGone) : del(call, key);
    }
  }

  /**
   * The plugin collects. What it had of attachments that are not in use any more needs no record;
   * and what only a record knows of, as a killed call's beginnings, is removed by it.
   */
  private Reply gc(PluginCall call) {
    if (!isAlone()) {
      return call.failure(
          new CniException(
              ErrorCode.TRY_AGAIN_LATER, "other calls are under way, which GC could disturb"));
    }
    try {
      Reply reply = execution.run(call);
      if (reply.exitCode() == 0) {
        new StaleRecords(state, this).remove(call);
      }
      return reply;
    } finally {
      gate.writeLock().unlock();
    }
  }

  /** Those who come meanwhile wait behind it: not for long, whatever hangs. */
  private boolean isAlone() {
    try {
      return gate.writeLock().tryLock(LONGEST_GATE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private Reply add(PluginCall call, AttachmentKey key, BooleanSupplier callerIsGone) {
    if (refusesAdds) {
      return call.failure(
          new CniException(ErrorCode.TRY_AGAIN_LATER, "the machine is shutting down")
              .because(Reason.SHUTTING_DOWN));
    }
    return tombstones.isLate(key, call.startedNanos())
        ? call.failure(
            new CniException(
                    ErrorCode.TRY_AGAIN_LATER,
                    "%s was deleted while this ADD waited".formatted(key))
                .because(Reason.DELETED_MEANWHILE))
        : attaching.add(call, key, callerIsGone);
  }

  private Reply del(PluginCall call, AttachmentKey key) {
    tombstones.put(key, call.startedNanos());
    return detaching.del(call, key);
  }

  /**
   * Finishes a call that was killed, as the journal tells of it: a DEL is done again, an ADD is
   * undone. But an attachment that was committed stays for its runtime's DEL: it is complete, or
   * the ADD that was killed was a second one, which a plugin refuses. The attachment must be
   * locked.
   *
   * @return whether nothing is left to do
   */
  public boolean finish(String name, CallRecord killed) {
    return detaching.finish(name, killed);
  }

  /**
   * Undoes what a record tells of, whoever made it. The attachment must be locked.
   *
   * @return whether nothing is left of it
   */
  public boolean undo(String name, CallRecord record) {
    return detaching.undo(name, record);
  }

  /**
   * Whether the attachment was made anew after this record of it, which is of an earlier start of
   * the machine or of a namespace that is gone. Its DEL has to wait until the newer one is gone as
   * well: it could take away what is in use, and what only the old one had would be forgotten
   * without it. The attachment must be locked.
   */
  public boolean isMadeAnew(CallRecord old) {
    return new NewerRecords(state, notes).existBeside(old);
  }

  /** Whether the name of its namespace still leads to the namespace it was. */
  public boolean namespaceIsThere(CallRecord record) {
    return notes.namespaceIsThere(record);
  }
}
