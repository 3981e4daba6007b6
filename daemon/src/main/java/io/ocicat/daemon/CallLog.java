package io.ocicat.daemon;

import io.ocicat.daemon.server.DaemonEvents;
import io.ocicat.daemon.server.DeclineReason;
import io.ocicat.daemon.server.RepairKind;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.FinishedCall;
import java.util.function.Consumer;

/**
 * Writes one log line per call and per notable event, and keeps the last calls in full. Thread-safe
 * if the destination is.
 */
public final class CallLog implements DaemonEvents {
  private final Consumer<String> lines;
  private final LogFormat format;
  private final CallHistory history;

  public CallLog(Consumer<String> lines, CallHistory history) {
    this(lines, new LogFormat.Text(), history);
  }

  public CallLog(Consumer<String> lines, LogFormat format, CallHistory history) {
    this.lines = lines;
    this.format = format;
    this.history = history;
  }

  @Override
  public void finished(FinishedCall call, CallTrace trace) {
    history.add(call.failed(), call.bytes() + trace.bytes(), () -> call.with(trace));
    lines.accept(format.call(call));
  }

  @Override
  public void declined(DeclineReason kind, String why) {
    lines.accept(format.declined(kind, why));
  }

  @Override
  public void stuck(String about, long nanos, StackTraceElement[] where) {
    lines.accept(format.stuck(about, nanos, where));
  }

  @Override
  public void repaired(RepairKind kind) {
    // The component that made the repair logs the details in a note.
  }

  @Override
  public void note(String sentence) {
    lines.accept(format.note(sentence));
  }
}
