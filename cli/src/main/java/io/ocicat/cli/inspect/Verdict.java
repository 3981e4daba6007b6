package io.ocicat.cli.inspect;

import java.util.Locale;

/** What became of an attachment, out of a small fixed set. */
enum Verdict {
  ATTACHED(true, "nothing to do"),
  DELETED(true, "nothing to do: it was asked for, and nothing is left"),
  UNDER_WAY(false, "wait; `ocicat status` shows since when, and the log where it stays"),
  KILLED(false, "DEL undoes it; so does ocicatd when it starts, and `ocicat doctor --fix`"),
  DEL_PENDING(false, "remove the obstacle that the log names: ocicatd tries again every second"),
  ADD_FAILED(false, ""),
  DEL_FAILED(false, ""),
  CHECK_FAILED(false, ""),
  NETNS_GONE(false, "the container has ended: DEL, or ocicatd within two minutes, removes it"),
  INTERFACE_GONE(false, "somebody removed it: DEL and ADD, that is, start the pod anew"),
  INTERFACE_DOWN(false, "somebody took it down: bring it up, or start the pod anew"),
  ADDRESS_GONE(false, "somebody removed it: add it, or start the pod anew"),
  NEVER_ASKED(
      false,
      "no plugin of ours was called for it since ocicatd started: look whether the runtime uses"
          + " this network (`ocicat doctor`) and at its log"),
  DAEMON_DOWN(
      false,
      "without ocicatd nothing is remembered of calls that failed: start it, or see the"
          + " runtime's log");

  private final boolean fine;
  private final String advice;

  Verdict(boolean fine, String advice) {
    this.fine = fine;
    this.advice = advice;
  }

  boolean isFine() {
    return fine;
  }

  /** What to do; empty where that follows from the cause of the failed call. */
  String advice() {
    return advice;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
