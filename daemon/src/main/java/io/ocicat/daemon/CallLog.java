package io.ocicat.daemon;

import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.daemon.server.CallOutcome;
import io.ocicat.daemon.server.Events;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.FinishedCall;
import java.util.function.Consumer;

/**
 * One line for each call, and one for whatever else is worth telling; and the last calls in full
 * for whoever asks. Never stdin, which may hold secrets. Thread-safe if the destination is.
 */
public final class CallLog implements Events {
  private final Consumer<String> lines;
  private final CallHistory history;

  public CallLog(Consumer<String> lines, CallHistory history) {
    this.lines = lines;
    this.history = history;
  }

  @Override
  public void finished(CallOutcome outcome, CallTrace trace) {
    history.add(outcome.failed(), () -> outcome.describe(trace));
    String line =
        "call=%d plugin=%s verb=%s container=%s ifname=%s ms=%.2f"
            .formatted(
                outcome.number(),
                outcome.plugin(),
                outcome.verb(),
                outcome.environment().getOrDefault(CniEnvironment.CONTAINER_ID, ""),
                outcome.environment().getOrDefault(CniEnvironment.IFNAME, ""),
                (outcome.endNanos() - outcome.callerStartNanos()) / 1e6);
    if (outcome.failed()) {
      FinishedCall call = outcome.describe(trace);
      line += " code=%d error=\"%s\"".formatted(call.code(), call.message().replace('"', '\''));
    }
    lines.accept(line);
  }

  @Override
  public void declined(String why) {
    lines.accept("declined=\"%s\"".formatted(why.replace('"', '\'')));
  }

  @Override
  public void stuck(String about, long nanos, StackTraceElement[] where) {
    StringBuilder line = new StringBuilder();
    line.append("stuck=\"%s\" seconds=%d at:".formatted(about, nanos / 1_000_000_000));
    for (int i = 0; i < Math.min(12, where.length); i++) {
      line.append("\n    ").append(where[i]);
    }
    lines.accept(line.toString());
  }

  @Override
  public void note(String sentence) {
    lines.accept(sentence);
  }
}
