package io.ocicat.sandbox.container;

/**
 * A change of a container or a sandbox.
 *
 * @param id of the container; of the sandbox for an event of its own
 * @param createdAt nanoseconds since 1970
 */
public record ContainerEvent(Kind kind, String id, String sandboxId, long createdAt) {
  /** Names and numbers are CRI's. */
  public enum Kind {
    CREATED,
    STARTED,
    STOPPED,
    DELETED
  }
}
