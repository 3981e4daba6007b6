package io.ocicat.daemon.call;

/** The outcome of undoing an attachment without a request from its runtime. */
public sealed interface UndoOutcome {
  /** Nothing is left of it. */
  record Done() implements UndoOutcome {}

  /** Another process has finished it, or is working on it. */
  record LeftToOthers() implements UndoOutcome {}

  /** Something is in use that its DEL could remove. */
  record Refused(String because) implements UndoOutcome {}

  /** Its DEL failed. */
  record Failed(String why) implements UndoOutcome {}
}
