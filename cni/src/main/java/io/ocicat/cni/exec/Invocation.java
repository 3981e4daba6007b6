package io.ocicat.cni.exec;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A plugin to be run: which executable, with which environment (the whole of it, not only the CNI
 * variables) and which request on stdin.
 *
 * @param limit how long it may take before it is stopped
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares invocations
public record Invocation(
    Path executable, Map<String, String> environment, byte[] stdin, Duration limit) {
  public Invocation {
    environment = Map.copyOf(environment);
    stdin = stdin.clone();
  }

  @Override
  public byte[] stdin() {
    return stdin.clone();
  }
}
