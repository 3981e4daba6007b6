package io.ocicat.daemon.liveness;

/** The decision of {@link UndoPolicy}: undo the attachment, or wait. */
public sealed interface UndoDecision {

  /**
   * Every source says that it is not in use.
   *
   * @param entersNamespace whether the interface inside is the attachment's own, so that DEL may
   *     remove it by name; else DEL runs without the namespace and uses the aliases on the host
   */
  record Permitted(boolean entersNamespace) implements UndoDecision {}

  /** Something is, or may be, in use that its DEL could remove: it has to wait. */
  record Refused(String because) implements UndoDecision {}
}
