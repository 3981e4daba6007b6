package io.ocicat.agent.matrix;

import io.ocicat.ip.IpAddress;

/**
 * A place that packets start and end at.
 *
 * @param name of a pod {@code namespace/pod}
 * @param node of a pod, or its own name; empty outside the cluster
 */
public record Actor(Type type, String name, String node, IpAddress v4, IpAddress v6) {
  /** What kind of place. */
  public enum Type {
    POD,
    NODE,
    OUTSIDE
  }

  public boolean isPod() {
    return type == Type.POD;
  }

  IpAddress address(boolean ofV4) {
    return ofV4 ? v4 : v6;
  }

  /** Whether packets between them never leave their node. */
  boolean isNextTo(Actor other) {
    return !node.isEmpty() && node.equals(other.node);
  }

  @Override
  public String toString() {
    return name;
  }
}
