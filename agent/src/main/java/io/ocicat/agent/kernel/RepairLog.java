package io.ocicat.agent.kernel;

/** Where reconcilers report what they changed, repaired, or could not do: one line each. */
@FunctionalInterface
public interface RepairLog {
  void write(String line);
}
