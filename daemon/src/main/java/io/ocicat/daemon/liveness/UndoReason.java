package io.ocicat.daemon.liveness;

/** Why an attachment is considered for undoing without its runtime's DEL. */
public enum UndoReason {
  /** Its namespace is gone and no DEL came. */
  NAMESPACE_GONE,
  /** Its record is from before the last boot. */
  EARLIER_BOOT,
  /** Its DEL was deferred. */
  DEFERRED_DEL,
  /** Its ADD was killed before it was committed, so no caller was told that it succeeded. */
  KILLED_ADD,
  /** Its DEL was killed. */
  KILLED_DEL,
  /** Its runtime's GC did not list it. */
  GC,
  /** Its runtime deleted the interface, using the name of another network. */
  RENAMED_NETWORK
}
