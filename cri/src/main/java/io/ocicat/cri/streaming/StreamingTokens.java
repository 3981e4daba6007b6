package io.ocicat.cri.streaming;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Requests that wait for their client, by a token that nobody can guess. Each is good for one use
 * and a short time. Thread-safe.
 */
final class StreamingTokens {
  private static final int BYTES = 24;

  private record Pending(StreamingRequest request, Instant until) {}

  private final Map<String, Pending> pending = new LinkedHashMap<>();
  private final SecureRandom random = new SecureRandom();
  private final InstantSource clock;
  private final Duration life;
  private final int most;

  StreamingTokens(InstantSource clock, Duration life, int most) {
    this.clock = clock;
    this.life = life;
    this.most = most;
  }

  /** A token for the request; empty when too many are pending. */
  synchronized Optional<String> add(StreamingRequest request) {
    Instant now = clock.instant();
    pending.values().removeIf(each -> !each.until().isAfter(now));
    if (pending.size() >= most) {
      return Optional.empty();
    }
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    pending.put(token, new Pending(request, now.plus(life)));
    return Optional.of(token);
  }

  /** Takes the request of a token away; empty for one that is unknown, used or too old. */
  synchronized Optional<StreamingRequest> take(String token) {
    return Optional.ofNullable(pending.remove(token))
        .filter(each -> each.until().isAfter(clock.instant()))
        .map(Pending::request);
  }
}
