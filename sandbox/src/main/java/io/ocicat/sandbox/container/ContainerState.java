package io.ocicat.sandbox.container;

/** Names and numbers are CRI's. */
public enum ContainerState {
  CREATED,
  RUNNING,
  EXITED,
  /** Its record is damaged; stopping it leads out. */
  UNKNOWN
}
