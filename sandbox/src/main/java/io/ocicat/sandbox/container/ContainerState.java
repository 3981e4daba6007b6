package io.ocicat.sandbox.container;

/** Names and numbers are CRI's. */
public enum ContainerState {
  CREATED,
  RUNNING,
  EXITED,
  /** Only for filters: a container whose record is damaged is removed by recovery. */
  UNKNOWN
}
