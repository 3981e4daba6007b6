package io.ocicat.sandbox.store;

import io.ocicat.sandbox.infra.ProcessId;
import java.util.List;

/** A program that was started in a pod. */
public record ContainerRecord(String name, ProcessId process, List<String> command) {
  public ContainerRecord {
    command = List.copyOf(command);
  }
}
