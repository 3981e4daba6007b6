package io.ocicat.daemon.call;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.Deadline;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.exec.Reply;
import io.ocicat.cni.exec.Verb;
import io.ocicat.cni.json.Json;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.State;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.Phase;
import io.ocicat.netlink.NetlinkException;
import io.ocicat.netlink.linux.RangeLock;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;

/**
 * Makes calls so that none is ever half done for long: one at a time for each attachment, noted in
 * the journal before it begins, undone when its caller has gone before it ended. The daemon and a
 * JVM that makes a single call both use it, on the same {@link State}. Thread-safe.
 */
public final class CallRunner {
  /** What DEL may still wait for when its caller's time is nearly up: it must get done. */
  private static final Duration SHORTEST_DEL = Duration.ofSeconds(10);

  private static final Duration LONGEST_GATE = Duration.ofSeconds(5);

  /** Errors that may be gone when it is tried again; the others are wrong input. */
  private static final Set<ErrorCode> PASSING =
      Set.of(
          ErrorCode.UNKNOWN, ErrorCode.IO_FAILURE, ErrorCode.TRY_AGAIN_LATER, ErrorCode.INTERNAL);

  private static final Set<String> PLUGIN_VARIABLES =
      Set.of(
          "PATH",
          "HOME",
          "DATASTORE_TYPE",
          "KUBECONFIG",
          "KUBERNETES_SERVICE_HOST",
          "KUBERNETES_SERVICE_PORT",
          "OCICAT_STATE_DIR",
          "USE_POD_CIDR");

  private static final Set<String> PLUGIN_PREFIXES = Set.of("CNI_", "CALICO_", "ETCD_", "K8S_");

  private final State state;
  private final OurExecutables ours;
  private final NamespaceId ownNetns;
  private final Clock clock;
  private final boolean finishesLater;
  private final PluginExec processes = new ProcessExec();
  private final Tombstones tombstones = new Tombstones();

  /** GC knows of no attachment that is just being made, so it is alone. */
  private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock(true);

  /**
   * @param finishesLater whether somebody tries again what DEL cannot do now
   */
  public CallRunner(State state, OurExecutables ours, boolean finishesLater, Clock clock) {
    this.state = state;
    this.ours = ours;
    this.finishesLater = finishesLater;
    this.clock = clock;
    this.ownNetns = NamespaceId.own();
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
      return dispatch(call);
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
    if (verb == Verb.DEL && patience.compareTo(SHORTEST_DEL) < 0) {
      patience = SHORTEST_DEL;
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
    trace(Phase.QUEUE, "lock of " + key, asked);
    if (lock.isEmpty()) {
      return call.failure(
          new CniException(
              ErrorCode.TRY_AGAIN_LATER, "another call for %s is still under way".formatted(key)));
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
      Reply reply = dispatch(call);
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
    if (tombstones.isLate(key, call.startedNanos())) {
      return call.failure(
          new CniException(
              ErrorCode.TRY_AGAIN_LATER, "%s was deleted while this ADD waited".formatted(key)));
    }
    if (callerIsGone.getAsBoolean()) {
      return abandoned(call, key);
    }
    String name = state.nameOf(key, call.name());
    if (!finishFormer(name)) {
      return call.failure(
          new CniException(
              ErrorCode.TRY_AGAIN_LATER,
              "what an earlier call for %s left could not be removed yet".formatted(key)));
    }
    CallRecord record = record(call);
    try {
      long start = System.nanoTime();
      state.journal().write(name, record);
      trace(Phase.JOURNAL, "intent", start);
    } catch (UncheckedIOException e) {
      return call.failure(
          new CniException(
              ErrorCode.IO_FAILURE,
              "cannot note what is about to be done: " + e.getMessage(),
              "nothing was changed; make room in or write access to " + state.journal().path()));
    }
    Reply reply = dispatch(call);
    if (reply.exitCode() != 0) {
      forget(name);
      return reply;
    }
    if (callerIsGone.getAsBoolean()) {
      rollBack(call, name);
      return abandoned(call, key);
    }
    return commit(call, key, name, record, reply);
  }

  /** Finishes what a killed ADD or a DEL that was put off left of the same attachment. */
  private boolean finishFormer(String name) {
    Optional<CallRecord> killed = state.journal().read(name);
    if (killed.isPresent() && !finish(name, killed.get())) {
      return false;
    }
    Optional<CallRecord> putOff = state.spool().read(name);
    return putOff.isEmpty() || undo(name, putOff.get());
  }

  private Reply commit(
      PluginCall call, AttachmentKey key, String name, CallRecord record, Reply reply) {
    long start = System.nanoTime();
    try {
      state.attachments().write(name, record.withResult(reply.stdout()));
    } catch (UncheckedIOException e) {
      rollBack(call, name);
      return call.failure(
          new CniException(
              ErrorCode.IO_FAILURE,
              "cannot note that %s exists: %s".formatted(key, e.getMessage()),
              "it was undone; make room in or write access to " + state.attachments().path()));
    }
    forget(name);
    trace(Phase.JOURNAL, "commit", start);
    return reply;
  }

  /** Where DEL fails the journal keeps the record, and the daemon tries again. */
  private void rollBack(PluginCall call, String name) {
    if (dispatch(call.with(Verb.DEL).within(Deadline.in(SHORTEST_DEL))).exitCode() == 0) {
      forget(name);
    }
  }

  private static Reply abandoned(PluginCall call, AttachmentKey key) {
    return call.failure(
        new CniException(
            ErrorCode.TRY_AGAIN_LATER, "whoever asked to add %s is gone; undone".formatted(key)));
  }

  private Reply del(PluginCall call, AttachmentKey key) {
    tombstones.put(key, call.startedNanos());
    String name = state.nameOf(key, call.name());
    CallRecord record = record(call);
    try {
      state.journal().write(name, record);
    } catch (UncheckedIOException _) {
      // DEL never needs a note to do its work: who is killed in it, or its runtime, does it again.
    }
    Reply reply = dispatch(call.within(atLeast(call.deadline(), SHORTEST_DEL)));
    if (reply.exitCode() == 0) {
      forget(name, true);
      return reply;
    }
    Reply answer = finishesLater && isPassing(reply) ? promise(name, record, reply) : reply;
    forget(name);
    return answer;
  }

  /** What can be done here is done; the rest is tried again by the daemon. */
  private Reply promise(String name, CallRecord record, Reply failure) {
    try {
      state.spool().write(name, record);
    } catch (UncheckedIOException _) {
      return failure;
    }
    return new Reply(
        0,
        new byte[0],
        failure.stderr() + "ocicat: DEL will be finished later: " + message(failure) + "\n");
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
    boolean committed =
        killed.isAdd() && state.attachments().read(name).filter(this::namespaceIsThere).isPresent();
    return committed ? forget(name, false) : undo(name, killed);
  }

  /**
   * Undoes what a record tells of, whoever made it. The attachment must be locked.
   *
   * @return whether nothing is left of it
   */
  public boolean undo(String name, CallRecord record) {
    return dispatch(call(record)).exitCode() == 0 && forget(name, true);
  }

  /** The DEL that undoes what a record tells of. */
  private PluginCall call(CallRecord record) {
    Map<String, String> environment = new LinkedHashMap<>(record.environment());
    environment.put(CniEnvironment.COMMAND, Verb.DEL.name());
    if (!namespaceIsThere(record)) {
      environment.put(CniEnvironment.NETNS, "");
    }
    return new PluginCall(
        record.plugin(),
        plugin(record.plugin())
            .orElseThrow(() -> new IllegalStateException("there is no plugin " + record.plugin())),
        environment,
        record.stdin(),
        namespaces(record),
        record.hostNetns(),
        record.netns(),
        Deadline.in(Duration.ofSeconds(30)),
        0);
  }

  /** Whether the name of its namespace still leads to the namespace it was. */
  public boolean namespaceIsThere(CallRecord record) {
    return !record.netns().isNone()
        && record.boot().equals(state.boot())
        && record.netns().equals(NamespaceId.of(record.netnsPath()));
  }

  /** The host's side of a record: gone when it is from before the machine's last start. */
  private Namespaces namespaces(CallRecord record) {
    boolean own = record.hostNetns().equals(ownNetns) || !record.boot().equals(state.boot());
    return own
        ? Namespaces.OWN
        : record
            .hostNetns()
            .find()
            .map(path -> new Namespaces(path, Map.of()))
            .orElse(Namespaces.OWN);
  }

  private void forget(String name) {
    forget(name, false);
  }

  /** Returns whether it could; what stays means that DEL is run once more, which does no harm. */
  private boolean forget(String name, boolean attachmentToo) {
    try {
      if (attachmentToo) {
        state.attachments().remove(name);
        state.spool().remove(name);
      }
      state.journal().remove(name);
      return true;
    } catch (UncheckedIOException _) {
      return false;
    }
  }

  private Reply dispatch(PluginCall call) {
    Namespaces namespaces = call.namespaces();
    boolean elsewhere = !namespaces.equals(Namespaces.OWN) && !call.hostNetns().equals(ownNetns);
    PluginExec others =
        new CallersExec(
            processes,
            elsewhere ? Optional.of(namespaces.host()) : Optional.empty(),
            call.key().map(AttachmentKey::toString).orElse(""));
    PluginExec inProcess = new InProcessExec(ours::find, others, namespaces);
    PluginExec traced = CallTrace.CURRENT.isBound() ? new TracedExec(inProcess) : inProcess;
    PluginExec exec = invocation -> state.delegating(() -> traced.run(invocation));
    PluginHost host = new PluginHost(namespaces, exec, call.deadline(), _ -> {});
    return state.watched(
        () -> Dispatcher.dispatch(call.plugin(), host, call.environment(), call.stdin()));
  }

  private CallRecord record(PluginCall call) {
    Map<String, String> kept = new LinkedHashMap<>();
    call.environment()
        .forEach(
            (variable, value) -> {
              if (isForPlugins(variable)) {
                kept.put(variable, value);
              }
            });
    return new CallRecord(
        state.boot(),
        clock.millis(),
        call.hostNetns(),
        call.netns(),
        call.name(),
        kept,
        call.stdin(),
        new byte[0]);
  }

  /** What plugins look at, besides the protocol's own: where Calico's datastore is. */
  private static boolean isForPlugins(String variable) {
    return PLUGIN_VARIABLES.contains(variable)
        || PLUGIN_PREFIXES.stream().anyMatch(variable::startsWith);
  }

  private static Deadline atLeast(Deadline deadline, Duration least) {
    return deadline.remaining().compareTo(least) < 0 ? Deadline.in(least) : deadline;
  }

  private static boolean isPassing(Reply failure) {
    try {
      return PASSING.contains(CniException.fromJson(Json.parse(failure.stdout())).code());
    } catch (CniException _) {
      return false;
    }
  }

  private static String message(Reply failure) {
    return CniException.fromJson(Json.parse(failure.stdout())).msg();
  }

  private static void trace(Phase phase, String detail, long start) {
    if (CallTrace.CURRENT.isBound()) {
      CallTrace.CURRENT.get().add(phase, () -> detail, start, System.nanoTime());
    }
  }
}
