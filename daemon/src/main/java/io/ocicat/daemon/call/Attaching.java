package io.ocicat.daemon.call;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Reason;
import io.ocicat.cni.exec.Deadline;
import io.ocicat.cni.exec.Reply;
import io.ocicat.cni.exec.Verb;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.State;
import io.ocicat.daemon.trace.Phase;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * ADD: what it is about to do is noted, done, and then committed or undone. Whoever uses this holds
 * the attachment's lock.
 */
final class Attaching {
  private final State state;
  private final Notes notes;
  private final Execution execution;
  private final Detaching detaching;

  Attaching(State state, Notes notes, Execution execution, Detaching detaching) {
    this.state = state;
    this.notes = notes;
    this.execution = execution;
    this.detaching = detaching;
  }

  Reply add(PluginCall call, AttachmentKey key, BooleanSupplier callerIsGone) {
    if (callerIsGone.getAsBoolean()) {
      return abandoned(call, key);
    }
    String name = notes.nameForAdd(call, key);
    if (!finishFormer(name)) {
      return call.failure(
          new CniException(
              ErrorCode.TRY_AGAIN_LATER,
              "what an earlier call for %s left could not be removed yet".formatted(key)));
    }
    CallRecord record = notes.record(call);
    try {
      long start = System.nanoTime();
      state.journal().write(name, record);
      Execution.trace(Phase.JOURNAL, "intent", start);
    } catch (UncheckedIOException e) {
      return call.failure(
          new CniException(
              ErrorCode.IO_FAILURE,
              "cannot note what is about to be done: " + e.getMessage(),
              "nothing was changed; make room in or write access to " + state.journal().path()));
    }
    Reply reply = execution.run(call);
    if (reply.exitCode() != 0) {
      notes.forgetCall(name);
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
    if (killed.isPresent() && !detaching.finish(name, killed.get())) {
      return false;
    }
    Optional<CallRecord> putOff = state.spool().read(name);
    return putOff.isEmpty() || detaching.undo(name, putOff.get());
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
    notes.forgetCall(name);
    Execution.trace(Phase.JOURNAL, "commit", start);
    return reply;
  }

  /** Where DEL fails the journal keeps the record, and the daemon tries again. */
  private void rollBack(PluginCall call, String name) {
    PluginCall del = call.with(Verb.DEL).within(Deadline.in(Detaching.SHORTEST));
    if (execution.run(del).exitCode() == 0) {
      notes.forgetCall(name);
    }
  }

  private static Reply abandoned(PluginCall call, AttachmentKey key) {
    return call.failure(
        new CniException(
                ErrorCode.TRY_AGAIN_LATER, "whoever asked to add %s is gone; undone".formatted(key))
            .because(Reason.CALLER_GONE));
  }
}
