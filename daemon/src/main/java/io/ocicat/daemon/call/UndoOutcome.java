package io.ocicat.daemon.call;

/** What became of an attachment that was to be undone without being asked for. */
public sealed interface UndoOutcome {
  /** Nothing is left of it. */
  record Done() implements UndoOutcome {}

  /** Others have dealt with it, or are at work on it. */
  record LeftToOthers() implements UndoOutcome {}

  /** Something lives that its DEL could take. */
  record Refused(String because) implements UndoOutcome {}

  /** Its DEL failed. */
  record Failed(String why) implements UndoOutcome {}
}
