package io.ocicat.daemon.call;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.PluginStdin;
import io.ocicat.cni.exec.Verb;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Executes DEL, requested by a runtime or made from a record. The caller holds the attachment's
 * lock.
 */
final class DelHandler {
  /** The least time that DEL may take when its caller's time is nearly up: it must get done. */
  static final Duration SHORTEST = Duration.ofSeconds(10);

  private static final Duration FOR_A_RECORD = Duration.ofSeconds(30);

  /** Errors that may be gone at the next attempt; the others mean invalid input. */
  private static final Set<ErrorCode> PASSING =
      Set.of(
          ErrorCode.UNKNOWN, ErrorCode.IO_FAILURE, ErrorCode.TRY_AGAIN_LATER, ErrorCode.INTERNAL);

  private final DaemonState state;
  private final CallJournal journal;
  private final PluginExecution execution;
  private final PluginExecutables ours;
  private final FailedAdds failedAdds;
  private final ConfigurationInForce configuration;
  private final OrphanedDelegates orphans;
  private final BooleanSupplier keeper;

  /**
   * @param keeper whether a process is running that retries what cannot be done now
   */
  DelHandler(
      DaemonState state,
      CallJournal journal,
      PluginExecution execution,
      PluginExecutables ours,
      FailedAdds failedAdds,
      ConfigurationInForce configuration,
      BooleanSupplier keeper) {
    this.state = state;
    this.journal = journal;
    this.execution = execution;
    this.ours = ours;
    this.failedAdds = failedAdds;
    this.configuration = configuration;
    this.orphans = new OrphanedDelegates(state.runDirectory());
    this.keeper = keeper;
  }

  /**
   * @param name of its record
   */
  PluginReply del(PluginCall call, String name) {
    boolean tookNothing = failedAdds.tookNothing(name) && !journal.isNoted(name);
    CallRecord record = journal.record(call);
    if (state.journal().read(name).isPresent()) {
      call.key().ifPresent(orphans::end);
    }
    try {
      state.journal().write(name, record);
    } catch (UncheckedIOException _) {
      // DEL does not need the journal to do its work: if it is killed, it is run again, by itself
      // or by its runtime.
    }
    PluginReply reply = execution.run(call.within(atLeastShortest(call.deadline())));
    if (reply.exitCode() == 0) {
      journal.forgetAll(name);
      return reply;
    }
    PluginReply answer = reply;
    if (isPassing(reply)) {
      answer =
          tookNothing
              ? reply.forgiven("ocicat: DEL has nothing to do: ADD had no effect before it failed")
              : promise(name, call, record, reply);
    }
    journal.forgetCall(name);
    return answer;
  }

  /**
   * Does what can be done here; the daemon retries the rest. Not without a daemon, nor without what
   * only the caller knows: then the runtime has to try again.
   */
  private PluginReply promise(
      String name, PluginCall call, CallRecord record, PluginReply failure) {
    if (!configuration.hasSecretsOf(call, record) || !keeper.getAsBoolean()) {
      return failure;
    }
    try {
      state.spool().write(name, record);
    } catch (UncheckedIOException _) {
      return failure;
    }
    return failure.forgiven("ocicat: DEL will be finished later: " + message(failure));
  }

  /**
   * Undoes what a record describes, whichever process wrote it.
   *
   * @param entersNamespace whether the interface inside may be removed by its name
   * @return why something is left of it; empty when nothing is
   */
  Optional<String> undo(String name, CallRecord record, boolean entersNamespace) {
    if (record.isAdd()) {
      record.key().ifPresent(orphans::end);
    }
    PluginReply reply = execution.run(call(record, entersNamespace));
    if (reply.exitCode() != 0) {
      return Optional.of(message(reply));
    }
    return journal.forgetAll(name) ? Optional.empty() : Optional.of("its record cannot be removed");
  }

  /** The DEL that undoes what a record describes. */
  private PluginCall call(CallRecord record, boolean entersNamespace) {
    Map<String, String> environment = new LinkedHashMap<>(SecretRedaction.of(System.getenv()));
    environment.putAll(record.environment());
    environment.put(CniEnvironment.COMMAND, Verb.DEL.name());
    if (!entersNamespace) {
      environment.put(CniEnvironment.NETNS, "");
    }
    return new PluginCall(
        record.plugin(),
        ours.named(record.plugin())
            .orElseThrow(() -> new IllegalStateException("there is no plugin " + record.plugin())),
        environment,
        PluginStdin.of(configuration.requestOf(record)),
        namespaces(record),
        record.hostNetns(),
        record.netns(),
        Deadline.in(FOR_A_RECORD),
        0);
  }

  /** The host's namespace of a record: gone when the record is from before the last boot. */
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

  private static boolean isPassing(PluginReply failure) {
    return failure.failure().map(CniException::code).filter(PASSING::contains).isPresent();
  }

  private static String message(PluginReply failure) {
    return failure.failure().map(CniException::msg).orElse("");
  }
}
