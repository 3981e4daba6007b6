package io.ocicat.daemon.call;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.Verb;
import io.ocicat.daemon.liveness.NodeInterfaces;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallId;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.daemon.trace.Phase;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Executes ADD: journals it, runs the plugin, then commits or rolls back. The caller holds the
 * attachment's lock.
 */
final class AddHandler {
  private final DaemonState state;
  private final CallJournal journal;
  private final PluginExecution execution;
  private final UnrequestedUndo unrequested;
  private final FailedAdds failedAdds;

  AddHandler(
      DaemonState state,
      CallJournal journal,
      PluginExecution execution,
      UnrequestedUndo unrequested,
      FailedAdds failedAdds) {
    this.state = state;
    this.journal = journal;
    this.execution = execution;
    this.unrequested = unrequested;
    this.failedAdds = failedAdds;
  }

  PluginReply add(PluginCall call, AttachmentKey key, BooleanSupplier callerIsGone) {
    if (callerIsGone.getAsBoolean()) {
      return abandoned(call, key);
    }
    String name = journal.nameForAdd(call, key);
    CallRecord record = journal.record(call);
    try {
      reopenEarlierTry(call, name);
      Optional<String> left = finishEarlier(name);
      if (left.isPresent()) {
        return call.failure(
            new CniException(
                ErrorCode.TRY_AGAIN_LATER,
                "what an earlier call for %s left could not be removed yet".formatted(key),
                left.get()));
      }
      long start = System.nanoTime();
      state.journal().write(name, record);
      PluginExecution.trace(Phase.JOURNAL, "intent", start);
    } catch (UncheckedIOException e) {
      return call.failure(
          new CniException(
              ErrorCode.IO_FAILURE,
              "cannot record the call: " + e.getMessage(),
              "nothing was changed; make room in or write access to " + state.journal().path()));
    }
    PluginExecution.Effects effects = new PluginExecution.Effects();
    PluginReply reply = execution.run(call, effects);
    if (reply.exitCode() != 0) {
      failedAdds.ended(name, effects.any());
      journal.forgetCall(name);
      return reply;
    }
    failedAdds.ended(name, true);
    if (callerIsGone.getAsBoolean()) {
      rollBack(call, name);
      return abandoned(call, key);
    }
    return commit(call, key, name, record, reply);
  }

  /**
   * An earlier attempt at the same call was killed (review C4). If it had committed, its caller
   * never learned of it, so it is undone like any other killed call.
   */
  private void reopenEarlierTry(PluginCall call, String name) {
    Optional<CallId> earlier = CallId.ofRepeated(call.environment());
    if (earlier.isPresent()) {
      state
          .attachments()
          .read(name)
          .filter(record -> record.id().equals(earlier))
          .ifPresent(record -> reopen(name, record));
    }
  }

  /** From here on this is a killed call, whatever happens to this process. */
  private void reopen(String name, CallRecord committed) {
    state.journal().write(name, committed.withResult(new byte[0]));
    state.attachments().remove(name);
  }

  /**
   * Finishes a killed call or a deferred DEL of the same attachment. If something of it is in use
   * it stays, and the plugin decides about that.
   *
   * @return why it could not be finished; empty when nothing is in the way
   */
  private Optional<String> finishEarlier(String name) {
    for (RecordFolder folder : List.of(state.journal(), state.spool())) {
      Optional<CallRecord> earlier = folder.read(name);
      if (earlier.isPresent()) {
        UndoOutcome undoing =
            unrequested.undoLocked(
                folder,
                new Kept(name, earlier.get()),
                unrequested.reasonFor(folder, earlier.get()),
                UnrequestedUndo.nowNanos(),
                new NodeInterfaces());
        if (undoing instanceof UndoOutcome.Failed(String why)) {
          return Optional.of(why);
        }
      }
    }
    return Optional.empty();
  }

  private PluginReply commit(
      PluginCall call, AttachmentKey key, String name, CallRecord record, PluginReply reply) {
    long start = System.nanoTime();
    try {
      state.attachments().write(name, record.withResult(reply.stdout()));
    } catch (UncheckedIOException e) {
      rollBack(call, name);
      return call.failure(
          new CniException(
              ErrorCode.IO_FAILURE,
              "cannot record that %s exists: %s".formatted(key, e.getMessage()),
              "it was undone; make room in or write access to " + state.attachments().path()));
    }
    journal.forgetCall(name);
    PluginExecution.trace(Phase.JOURNAL, "commit", start);
    return reply;
  }

  /** If DEL fails, the journal keeps the record and the daemon retries. */
  private void rollBack(PluginCall call, String name) {
    if (isDeleted(call)) {
      journal.forgetCall(name);
    }
  }

  private boolean isDeleted(PluginCall call) {
    PluginCall del = call.with(Verb.DEL).within(Deadline.in(DelHandler.SHORTEST));
    return execution.run(del).exitCode() == 0;
  }

  /**
   * Undoes an ADD that was committed but whose caller never received the success.
   *
   * @param sinceNanos when the call began, by the clock of {@link CallRecord#bootNanos}
   */
  void undoUnanswered(PluginCall call, AttachmentKey key, long sinceNanos) {
    String name = journal.nameForDel(call, key);
    Optional<CallRecord> made =
        state
            .attachments()
            .read(name)
            .filter(record -> record.bootNanos() >= sinceNanos)
            .filter(record -> record.netns().equals(call.netns()));
    if (made.isEmpty()) {
      return;
    }
    reopen(name, made.get());
    rollBack(call, name);
  }

  private static PluginReply abandoned(PluginCall call, AttachmentKey key) {
    return call.failure(
        new CniException(
                ErrorCode.TRY_AGAIN_LATER,
                "the caller of ADD for %s is gone; undone".formatted(key))
            .because(FailureReason.CALLER_GONE));
  }
}
