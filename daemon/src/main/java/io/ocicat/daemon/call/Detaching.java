package io.ocicat.daemon.call;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.Deadline;
import io.ocicat.cni.exec.Reply;
import io.ocicat.cni.exec.Verb;
import io.ocicat.cni.json.Json;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.State;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * DEL, asked for by a runtime or by what is written down of a call. Whoever uses this holds the
 * attachment's lock.
 */
final class Detaching {
  /** What DEL may still wait for when its caller's time is nearly up: it must get done. */
  static final Duration SHORTEST = Duration.ofSeconds(10);

  private static final Duration FOR_A_RECORD = Duration.ofSeconds(30);

  /** Errors that may be gone when it is tried again; the others are wrong input. */
  private static final Set<ErrorCode> PASSING =
      Set.of(
          ErrorCode.UNKNOWN, ErrorCode.IO_FAILURE, ErrorCode.TRY_AGAIN_LATER, ErrorCode.INTERNAL);

  private final State state;
  private final Notes notes;
  private final Execution execution;
  private final OurExecutables ours;
  private final boolean finishesLater;

  Detaching(
      State state, Notes notes, Execution execution, OurExecutables ours, boolean finishesLater) {
    this.state = state;
    this.notes = notes;
    this.execution = execution;
    this.ours = ours;
    this.finishesLater = finishesLater;
  }

  Reply del(PluginCall call, AttachmentKey key) {
    String name = notes.nameForDel(call, key);
    CallRecord record = notes.record(call);
    try {
      state.journal().write(name, record);
    } catch (UncheckedIOException _) {
      // DEL never needs a note to do its work: who is killed in it, or its runtime, does it again.
    }
    Reply reply = execution.run(call.within(atLeastShortest(call.deadline())));
    if (reply.exitCode() == 0) {
      notes.forgetAll(name);
      return reply;
    }
    Reply answer = finishesLater && isPassing(reply) ? promise(name, record, reply) : reply;
    notes.forgetCall(name);
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

  /** See {@link CallRunner#finish}. */
  boolean finish(String name, CallRecord killed) {
    boolean committed =
        killed.isAdd()
            && state.attachments().read(name).filter(notes::namespaceIsThere).isPresent();
    return committed ? notes.forgetCall(name) : undo(name, killed);
  }

  /** See {@link CallRunner#undo}. */
  boolean undo(String name, CallRecord record) {
    return execution.run(call(record)).exitCode() == 0 && notes.forgetAll(name);
  }

  /** The DEL that undoes what a record tells of. */
  private PluginCall call(CallRecord record) {
    Map<String, String> environment = new LinkedHashMap<>(record.environment());
    environment.put(CniEnvironment.COMMAND, Verb.DEL.name());
    if (!notes.namespaceIsThere(record)) {
      environment.put(CniEnvironment.NETNS, "");
    }
    return new PluginCall(
        record.plugin(),
        ours.named(record.plugin())
            .orElseThrow(() -> new IllegalStateException("there is no plugin " + record.plugin())),
        environment,
        record.stdin(),
        namespaces(record),
        record.hostNetns(),
        record.netns(),
        Deadline.in(FOR_A_RECORD),
        0);
  }

  /** The host's side of a record: gone when it is from before the machine's last start. */
  private Namespaces namespaces(CallRecord record) {
    boolean own =
        record.hostNetns().equals(execution.ownNetns()) || !record.boot().equals(state.boot());
    return own
        ? Namespaces.OWN
        : record
            .hostNetns()
            .find()
            .map(path -> new Namespaces(path, Map.of()))
            .orElse(Namespaces.OWN);
  }

  private static Deadline atLeastShortest(Deadline deadline) {
    return deadline.remaining().compareTo(SHORTEST) < 0 ? Deadline.in(SHORTEST) : deadline;
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
}
