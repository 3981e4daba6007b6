package io.ocicat.agent.policy.model;

/** Names a Kubernetes service. */
public record ServiceName(String namespace, String name) {
  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
