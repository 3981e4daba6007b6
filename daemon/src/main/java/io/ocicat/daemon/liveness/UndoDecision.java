package io.ocicat.daemon.liveness;

/** What {@link UndoPolicy} says. */
public sealed interface UndoDecision {

  /**
   * Every source says that it is dead.
   *
   * @param entersNamespace whether the interface inside is the attachment's own, so that DEL may
   *     remove it by name; else DEL is run without the namespace and goes by aliases on the host
   */
  record Permitted(boolean entersNamespace) implements UndoDecision {}

  /** Something lives that its DEL could take, or might: it has to wait. */
  record Refused(String because) implements UndoDecision {}
}
