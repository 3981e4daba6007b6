package io.ocicat.cli.install;

import io.ocicat.base.Backoff;
import io.ocicat.netlink.linux.NetlinkException;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Renews the token in Calico's kubeconfig until its thread is interrupted. An API server that does
 * not reply is asked again, soon at first and finally once a minute: the old token is then still
 * valid for hours, and stays where it is.
 */
final class TokenRenewal {
  private static final Duration SHORTEST = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** Waits. */
  @FunctionalInterface
  interface Sleep {
    void of(Duration time) throws InterruptedException;
  }

  private final Supplier<ServiceAccount.Token> request;
  private final Consumer<ServiceAccount.Token> write;
  private final Consumer<String> log;
  private final Clock clock;
  private final Sleep sleep;

  /**
   * @param request gets a token, or fails; {@link #isPassing} says whether to retry
   * @param write puts it where the plugin finds it
   */
  TokenRenewal(
      Supplier<ServiceAccount.Token> request,
      Consumer<ServiceAccount.Token> write,
      Consumer<String> log,
      Clock clock,
      Sleep sleep) {
    this.request = request;
    this.write = write;
    this.log = log;
    this.clock = clock;
    this.sleep = sleep;
  }

  /**
   * Runs forever.
   *
   * @param present the existing token
   */
  void run(ServiceAccount.Token present) {
    ServiceAccount.Token token = present;
    Backoff backoff = new Backoff(SHORTEST, LONGEST);
    Duration wait = untilRenewal(token);
    while (passes(wait)) {
      try {
        token = request.get();
        write.accept(token);
        log.accept("renewed the token: it ends at " + token.expires());
        backoff.reset();
        wait = untilRenewal(token);
      } catch (RuntimeException e) {
        if (!isPassing(e)) {
          throw e;
        }
        wait = backoff.next();
        log.accept(
            "the token was not renewed: %s; the one there is, until %s, stays; next attempt in %d s"
                .formatted(e.getMessage(), token.expires(), wait.toSeconds()));
      }
    }
  }

  /** Whether the API server, the disk or another installation may succeed next time. */
  private static boolean isPassing(RuntimeException e) {
    return e instanceof InstallException || e instanceof NetlinkException;
  }

  private Duration untilRenewal(ServiceAccount.Token token) {
    Duration left = Duration.between(clock.instant(), token.renewal(clock.instant()));
    return left.compareTo(SHORTEST) < 0 ? SHORTEST : left;
  }

  private boolean passes(Duration time) {
    try {
      sleep.of(time);
      return true;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
