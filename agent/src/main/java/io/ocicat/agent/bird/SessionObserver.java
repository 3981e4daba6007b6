package io.ocicat.agent.bird;

import io.ocicat.agent.bird.BirdFailures.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks BIRD for its sessions, less often the longer it takes to answer, and tells it to try again
 * where it has given up.
 */
final class SessionObserver {
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** How many times longer than BIRD's answer the pause before the next question is. */
  private static final int PAUSE_FACTOR = 100;

  private static final Duration LISTEN_AGAIN = Duration.ofSeconds(2);
  private static final String NO_LISTENING_SOCKET = "Error: No listening socket";

  private final BirdFiles files;
  private final BirdFailures failures;
  private long next = System.nanoTime();
  private long nextListening = next;
  private @Nullable Observation last;

  /** What BIRD said. */
  record Observation(BirdDaemon daemon, List<BgpSession> sessions) {
    Observation {
      sessions = List.copyOf(sessions);
    }
  }

  SessionObserver(BirdFiles files, BirdFailures failures) {
    this.files = files;
    this.failures = failures;
  }

  Optional<Observation> last() {
    return Optional.ofNullable(last);
  }

  /** BIRD has ended, or does not answer. */
  void forget() {
    last = null;
    next = System.nanoTime();
  }

  /** Something has changed: ask at the next opportunity. */
  void hurry() {
    next = System.nanoTime();
  }

  /**
   * Asks if it is time to.
   *
   * @param port where BIRD should listen
   */
  void observe(BirdControl bird, long pid, int port) {
    long before = System.nanoTime();
    if (before - next < 0) {
      return;
    }
    Observation now = new Observation(bird.daemon(), BgpSession.among(bird.protocols()));
    long after = System.nanoTime();
    next = after + Math.max(INTERVAL.toNanos(), PAUSE_FACTOR * (after - before));
    last = now;
    if (now.sessions().stream().noneMatch(session -> session.info().equals(NO_LISTENING_SOCKET))) {
      failures.clear(Topic.PORT);
      return;
    }
    failures.set(
        Topic.PORT,
        "BIRD cannot listen at TCP port %d, which %s uses: stop that program, or set listenPort of the BGPConfiguration"
            .formatted(port, PortHolder.find(port, pid).orElse("another program")));
    if (after - nextListening >= 0) {
      nextListening = after + LISTEN_AGAIN.toNanos();
      // The same once more starts what is down, and leaves everything else alone.
      bird.command("configure \"%s\"".formatted(files.configuration()));
    }
  }
}
