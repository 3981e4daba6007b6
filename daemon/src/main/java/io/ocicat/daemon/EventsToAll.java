package io.ocicat.daemon;

import io.ocicat.daemon.server.CallOutcome;
import io.ocicat.daemon.server.Events;
import io.ocicat.daemon.server.Refusal;
import io.ocicat.daemon.server.Repair;
import io.ocicat.daemon.trace.CallTrace;
import java.util.List;

/** Tells several what the daemon does, in their order. */
public record EventsToAll(List<Events> all) implements Events {
  public EventsToAll {
    all = List.copyOf(all);
  }

  @Override
  public void finished(CallOutcome outcome, CallTrace trace) {
    for (Events one : all) {
      one.finished(outcome, trace);
    }
  }

  @Override
  public void declined(Refusal kind, String why) {
    for (Events one : all) {
      one.declined(kind, why);
    }
  }

  @Override
  public void stuck(String about, long nanos, StackTraceElement[] where) {
    for (Events one : all) {
      one.stuck(about, nanos, where);
    }
  }

  @Override
  public void repaired(Repair kind) {
    for (Events one : all) {
      one.repaired(kind);
    }
  }

  @Override
  public void note(String sentence) {
    for (Events one : all) {
      one.note(sentence);
    }
  }
}
