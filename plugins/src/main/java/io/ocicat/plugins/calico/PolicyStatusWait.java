package io.ocicat.plugins.calico;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniJson;
import io.ocicat.datastore.resource.Resource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Waits until Felix reports, by a status file, that an endpoint's policy is in place. Polling every
 * few milliseconds costs less than a watch, and misses nothing that a watch would see.
 */
record PolicyStatusWait(Path directory, Duration limit) {
  private static final Duration PAUSE = Duration.ofMillis(20);

  /**
   * What the file must contain to be about this endpoint: a stale one of a pod of the same name
   * differs.
   */
  record Expected(String mac, Set<String> networks) {
    static Expected of(Resource endpoint) {
      return new Expected(
          endpoint.text("spec", "mac").orElse("").toLowerCase(Locale.ROOT),
          Set.copyOf(WorkloadEndpoints.texts(endpoint, "ipNetworks")));
    }

    boolean isIn(String content) {
      JsonNode status;
      try {
        status = CniJson.parse(content.getBytes(StandardCharsets.UTF_8));
      } catch (RuntimeException _) {
        return false; // Felix is still writing it.
      }
      Set<String> told = new HashSet<>();
      status.path("ipv4Nets").values().forEach(net -> told.add(net.asString("")));
      status.path("ipv6Nets").values().forEach(net -> told.add(net.asString("")));
      return status.path("mac").asString("").toLowerCase(Locale.ROOT).equals(mac)
          && told.equals(networks);
    }
  }

  /** Whether the file appeared in time; does not wait when the limit is zero. */
  boolean await(Resource endpoint, Deadline deadline) {
    Path file = directory.resolve(EndpointStatusName.of(endpoint.key()));
    Expected expected = Expected.of(endpoint);
    Deadline until = deadline.atMost(limit);
    boolean wasEmpty = false;
    for (; ; PollInterval.of(PAUSE)) {
      Optional<String> content = read(file);
      // Older versions of Felix write an empty file; newer ones leave it empty only while writing.
      boolean isEmpty = content.filter(String::isEmpty).isPresent();
      if ((isEmpty && wasEmpty) || content.filter(expected::isIn).isPresent()) {
        return true;
      }
      if (until.hasPassed()) {
        return false;
      }
      wasEmpty = isEmpty;
    }
  }

  private static Optional<String> read(Path file) {
    try {
      return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
