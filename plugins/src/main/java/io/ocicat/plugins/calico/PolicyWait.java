package io.ocicat.plugins.calico;

import io.ocicat.cni.exec.Deadline;
import io.ocicat.datastore.ResourceKey;
import io.ocicat.datastore.model.WorkloadEndpointName;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Felix says by a file that an endpoint's policy is in place. Looking for it every few milliseconds
 * costs less than a watch, and misses nothing that a watch would.
 */
record PolicyWait(Path directory, Duration limit) {
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final String KEPT = "-_.~$&+=:@";

  /** Whether the file came in time. Nobody waits when the limit is nothing. */
  boolean await(ResourceKey endpoint, Deadline deadline) {
    Path file = directory.resolve(fileName(endpoint));
    Deadline until = deadline.atMost(limit);
    while (!Files.exists(file)) {
      if (until.hasPassed()) {
        return false;
      }
      Pause.of(PAUSE);
    }
    return true;
  }

  /** What Felix calls it: orchestrator, namespace/workload and endpoint, as parts of a URL. */
  static String fileName(ResourceKey endpoint) {
    WorkloadEndpointName name =
        WorkloadEndpointName.parse(endpoint.name())
            .orElseThrow(() -> new IllegalArgumentException("no endpoint: " + endpoint.name()));
    return fileName(
        name.orchestrator(), endpoint.namespace() + "/" + name.workload(), name.endpoint());
  }

  static String fileName(String orchestrator, String workload, String endpoint) {
    return String.join(" ", escape(orchestrator), escape(workload), escape(endpoint));
  }

  private static String escape(String text) {
    StringBuilder escaped = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      boolean plain =
          (b >= 'a' && b <= 'z')
              || (b >= 'A' && b <= 'Z')
              || (b >= '0' && b <= '9')
              || KEPT.indexOf(b) >= 0;
      if (plain) {
        escaped.append((char) b);
      } else {
        escaped.append("%%%02X".formatted(b & 0xff));
      }
    }
    return escaped.toString();
  }
}
