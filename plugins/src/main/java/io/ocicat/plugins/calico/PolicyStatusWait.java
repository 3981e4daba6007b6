package io.ocicat.plugins.calico;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.plugins.resident.EndpointReadiness;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * Waits until an agent reports that an endpoint's policy is in place: an agent of this process by
 * waking the call, Felix or an agent of another process by a status file. Polling that every few
 * milliseconds costs less than a watch, and misses nothing that a watch would see.
 *
 * <p>Which of the two it is may change while a call waits: the agent starts after the daemon, and
 * may stop before it.
 */
record PolicyStatusWait(Path directory, Duration limit, EndpointReadiness agent) {
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

  /** Whether it was reported in time; does not wait when the limit is zero. */
  boolean await(Resource endpoint, Deadline deadline) {
    Deadline until = deadline.atMost(limit);
    boolean ready;
    do {
      ready = agent.covers(directory) ? isReady(endpoint, until) : awaitFile(endpoint, until);
    } while (!ready && !until.hasPassed());
    return ready;
  }

  private boolean isReady(Resource endpoint, Deadline until) {
    try {
      return agent.await(
          new EndpointReadiness.Expected(
              endpoint.key(),
              endpoint.text("spec", "mac").flatMap(MacAddress::tryParse).orElse(null),
              WorkloadEndpoints.texts(endpoint, "ipNetworks").stream()
                  .flatMap(text -> IpPrefix.tryParse(text).stream())
                  .collect(Collectors.toUnmodifiableSet())),
          until.remaining());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CniException(ErrorCode.TRY_AGAIN_LATER, "interrupted while waiting", e);
    }
  }

  /** Returns without success when the time is up, or an agent of this process is there. */
  private boolean awaitFile(Resource endpoint, Deadline until) {
    Path file = directory.resolve(EndpointStatusName.of(endpoint.key()));
    Expected expected = Expected.of(endpoint);
    boolean wasEmpty = false;
    for (; ; PollInterval.of(PAUSE)) {
      Optional<String> content = read(file);
      // Older versions of Felix write an empty file; newer ones leave it empty only while writing.
      boolean isEmpty = content.filter(String::isEmpty).isPresent();
      if ((isEmpty && wasEmpty) || content.filter(expected::isIn).isPresent()) {
        return true;
      }
      if (until.hasPassed() || agent.covers(directory)) {
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
