package io.ocicat.daemon.call;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.Verb;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.daemon.liveness.CniFolders;
import io.ocicat.daemon.liveness.NodeInterfaces;
import io.ocicat.daemon.liveness.UndoDecision;
import io.ocicat.daemon.liveness.UndoReason;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.daemon.trace.Phase;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.RangeLock;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;

/**
 * Runs plugin calls so that none stays half done for long: one at a time per attachment, journaled
 * before it begins, undone when its caller disappears before it ends. The daemon and a JVM that
 * makes a single call both use it, on the same {@link DaemonState}. Thread-safe.
 */
public final class CallRunner {
  private static final Duration LONGEST_GATE = Duration.ofSeconds(5);

  private final DaemonState state;
  private final PluginExecutables ours;
  private final CallJournal journal;
  private final PluginExecution execution;
  private final DelHandler detaching;
  private final UnrequestedUndo unrequested;
  private final AddHandler attaching;
  private final Tombstones tombstones = new Tombstones();
  private volatile boolean refusesAdds;

  /** GC does not know attachments that are just being made, so it runs alone. */
  private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock(true);

  /**
   * @param keeper whether a process is running that retries what DEL cannot do now
   * @param folders where runtimes keep what they know of containers
   */
  public CallRunner(
      DaemonState state,
      PluginExecutables ours,
      BooleanSupplier keeper,
      CniFolders folders,
      Clock clock) {
    this.state = state;
    this.ours = ours;
    this.journal = new CallJournal(state, clock);
    this.execution = new PluginExecution(state, ours);
    FailedAdds failedAdds = new FailedAdds();
    this.detaching =
        new DelHandler(
            state,
            journal,
            execution,
            ours,
            failedAdds,
            new ConfigurationInForce(folders, ours::named),
            keeper);
    this.unrequested = new UnrequestedUndo(state, journal, detaching, folders);
    this.attaching = new AddHandler(state, journal, execution, unrequested, failedAdds);
  }

  /** From now on no ADD begins: the machine is going down. */
  public void refuseAdds() {
    refusesAdds = true;
  }

  /** The plugin of that name. */
  public Optional<Plugin> plugin(String name) {
    return ours.named(name);
  }

  /** Number of ADDs that arrived after the DEL of the same attachment. */
  public long lateAdds() {
    return tombstones.hits();
  }

  /**
   * Makes a call.
   *
   * @param callerIsGone whether nobody waits for the reply any more
   */
  public PluginReply run(PluginCall call, BooleanSupplier callerIsGone) {
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

  private PluginReply locked(
      PluginCall call, AttachmentKey key, Verb verb, BooleanSupplier callerIsGone) {
    Duration patience = call.deadline().remaining();
    if (verb == Verb.DEL && patience.compareTo(DelHandler.SHORTEST) < 0) {
      patience = DelHandler.SHORTEST;
    }
    long asked = System.nanoTime();
    Optional<RangeLock> lock;
    try {
      lock = state.lock(key, patience);
    } catch (NetlinkException e) {
      // No ADD gets past here either, so a DEL cannot collide with one.
      return verb == Verb.DEL
          ? del(call, key)
          : call.failure(
              new CniException(
                  ErrorCode.IO_FAILURE,
                  "cannot lock attachment %s: %s".formatted(key, e.getMessage()),
                  "nothing was changed; make " + state.journal().path().getParent() + " writable"));
    }
    PluginExecution.trace(Phase.QUEUE, "lock of " + key, asked);
    if (lock.isEmpty()) {
      return call.failure(
          new CniException(
                  ErrorCode.TRY_AGAIN_LATER,
                  "another call for %s is still under way".formatted(key))
              .because(FailureReason.TIMED_OUT));
    }
    try (RangeLock _ = lock.get()) {
      return verb == Verb.ADD ? add(call, key, callerIsGone) : del(call, key);
    }
  }

  /**
   * The plugin collects garbage. Records of attachments that the runtime no longer lists are
   * dropped, and what only a record knows of, such as the remains of a killed call, is undone.
   */
  private PluginReply gc(PluginCall call) {
    if (!isAlone()) {
      return call.failure(
          new CniException(
              ErrorCode.TRY_AGAIN_LATER, "other calls are under way, which GC could disturb"));
    }
    try {
      PluginReply reply = execution.run(call);
      if (reply.exitCode() == 0) {
        new StaleRecords(state, unrequested).remove(call);
      }
      return reply;
    } finally {
      gate.writeLock().unlock();
    }
  }

  /** Calls that arrive meanwhile wait for it, but not for long, whatever hangs. */
  private boolean isAlone() {
    try {
      return gate.writeLock().tryLock(LONGEST_GATE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private PluginReply add(PluginCall call, AttachmentKey key, BooleanSupplier callerIsGone) {
    if (refusesAdds) {
      return call.failure(
          new CniException(ErrorCode.TRY_AGAIN_LATER, "the machine is shutting down")
              .because(FailureReason.SHUTTING_DOWN));
    }
    return tombstones.isLate(key, call.startedNanos())
        ? call.failure(
            new CniException(
                    ErrorCode.TRY_AGAIN_LATER,
                    "%s was deleted while this ADD waited".formatted(key))
                .because(FailureReason.DELETED_MEANWHILE))
        : attaching.add(call, key, callerIsGone);
  }

  private PluginReply del(PluginCall call, AttachmentKey key) {
    tombstones.put(key, call.startedNanos());
    String name = journal.nameForDel(call, key);
    boolean known = journal.isNoted(name);
    PluginReply reply = detaching.del(call, name);
    if (!known && reply.exitCode() == 0) {
      try {
        unrequested.undoOtherNetworks(call, key);
      } catch (NetlinkException | UncheckedIOException _) {
        // The runtime has what it asked for; the reconciler takes care of the rest.
      }
    }
    return reply;
  }

  /**
   * Undoes an ADD that succeeded but whose caller was gone before it received the reply.
   *
   * @param sinceNanos when the call began
   */
  public void undoUnanswered(PluginCall call, long sinceNanos) {
    Optional<AttachmentKey> key = call.key();
    if (key.isEmpty()) {
      return;
    }
    Optional<RangeLock> lock = state.lock(key.get(), DelHandler.SHORTEST);
    if (lock.isPresent()) {
      try (RangeLock _ = lock.get()) {
        attaching.undoUnanswered(call, key.get(), sinceNanos);
      }
    }
  }

  /** Whether any process is working on the attachment of a record. */
  public boolean isBusy(CallRecord record) {
    Optional<AttachmentKey> key = record.key();
    if (key.isEmpty()) {
      return false;
    }
    try {
      Optional<RangeLock> lock = state.lock(key.get(), Duration.ZERO);
      lock.ifPresent(RangeLock::close);
      return lock.isEmpty();
    } catch (NetlinkException _) {
      return true;
    }
  }

  /** Why a record in this folder may be undone without a request from its runtime. */
  public UndoReason reasonFor(RecordFolder folder, CallRecord record) {
    return unrequested.reasonFor(folder, record);
  }

  /**
   * Undoes what a record describes, unless something is in use that its DEL could remove.
   *
   * @param idleSinceNanos since 1970, when it was known that no process is working on it any more
   * @param limit how long to wait for processes that work on the attachment
   */
  public UndoOutcome undo(
      RecordFolder folder,
      Kept kept,
      UndoReason reason,
      long idleSinceNanos,
      NodeInterfaces interfaces,
      Duration limit) {
    return unrequested.undo(folder, kept, reason, idleSinceNanos, interfaces, limit);
  }

  /** The decision that {@link #undo} would make now. */
  public UndoDecision decide(
      RecordFolder folder, Kept kept, UndoReason reason, NodeInterfaces interfaces) {
    return unrequested.decide(folder, kept, reason, UnrequestedUndo.nowNanos(), interfaces);
  }

  /** Whether the path of its namespace still leads to the same namespace. */
  public boolean namespaceIsThere(CallRecord record) {
    return journal.namespaceIsThere(record);
  }
}
