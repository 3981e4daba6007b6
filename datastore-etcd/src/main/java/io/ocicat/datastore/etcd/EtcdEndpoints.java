package io.ocicat.datastore.etcd;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.ocicat.base.Backoff;
import io.ocicat.base.Deadline;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection to etcd: one at a time, shared by all callers, to the first endpoint that answers
 * and has a leader. A caller that finds it broken drops it, and the next caller tries the endpoints
 * in turn, starting after the one that failed. Dialling includes a request, so that a new
 * connection is known to work, and a write that finds it broken is known not to have been sent.
 */
final class EtcdEndpoints implements AutoCloseable {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final long CLOSED_WITHIN_SECONDS = 5;

  private final Supplier<List<Endpoint>> endpoints;
  private final TlsFiles tls;
  private final EtcdSettings settings;
  private final ReentrantLock dialling = new ReentrantLock();
  private final Set<EtcdConnection> open = ConcurrentHashMap.newKeySet();
  private @Nullable EventLoopGroup threads;
  private volatile @Nullable Thread ioThread;
  private volatile @Nullable EtcdConnection current;

  /** For callers that wait while another thread dials. */
  private volatile List<EtcdFailure> lastFailures = List.of();

  /** Created before any deadline starts. */
  private @Nullable EtcdConnection prepared;

  private volatile boolean closed;
  private int turn;

  EtcdEndpoints(Supplier<List<Endpoint>> endpoints, TlsFiles tls, EtcdSettings settings) {
    this.endpoints = endpoints;
    this.tls = tls;
    this.settings = settings;
  }

  /**
   * Loads what a first request needs, before its deadline starts: in a process of one call on a
   * busy machine that takes longer than any request.
   */
  void prepare() {
    if (current != null || !dialling.tryLock()) {
      return;
    }
    try {
      checkOpen();
      List<Endpoint> candidates = endpoints.get();
      if (current == null && prepared == null && !candidates.isEmpty()) {
        prepared = opened(candidates.get(Math.floorMod(turn, candidates.size())));
      }
    } finally {
      dialling.unlock();
    }
  }

  private EtcdConnection opened(Endpoint endpoint) {
    EtcdConnection before = prepared;
    prepared = null;
    if (before != null && before.endpoint().equals(endpoint)) {
      return before;
    }
    if (before != null) {
      discard(before);
    }
    EtcdConnection connection = EtcdConnection.open(endpoint, tls, threads());
    open.add(connection);
    return connection;
  }

  /**
   * Returns a connection that works, as far as is known.
   *
   * @throws UnavailableException when there is none by the deadline
   */
  EtcdConnection connection(Deadline deadline) {
    checkOpen();
    EtcdConnection known = current;
    if (known != null) {
      return known;
    }
    lock(deadline);
    try {
      checkOpen();
      known = current;
      return known == null ? dial(deadline) : known;
    } finally {
      dialling.unlock();
    }
  }

  private void lock(Deadline deadline) {
    try {
      if (!dialling.tryLock(deadline.remaining().toNanos(), TimeUnit.NANOSECONDS)) {
        List<EtcdFailure> known = lastFailures;
        throw known.isEmpty()
            ? new UnavailableException(
                "etcd cannot be reached in time: others wait for it, too", null)
            : unreachable(known, false);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while waiting for etcd", e);
    }
  }

  private EtcdConnection dial(Deadline deadline) {
    Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
    while (true) {
      List<Endpoint> candidates = endpoints.get();
      List<EtcdFailure> failures = new ArrayList<>();
      for (int i = 0; i < candidates.size(); i++) {
        Endpoint candidate = candidates.get(Math.floorMod(turn, candidates.size()));
        EtcdConnection connection = opened(candidate);
        EtcdFailure failure = failureOf(connection, deadline);
        checkOpen();
        if (failure == null) {
          current = connection;
          lastFailures = List.of();
          return connection;
        }
        turn++;
        failures.add(failure);
        discard(connection);
      }
      lastFailures = List.copyOf(failures);
      boolean lasting =
          failures.stream()
              .allMatch(failure -> HandshakeFailure.isLasting(failure.status().getCause()));
      boolean refused =
          !settings.retriesRefused()
              && failures.stream().allMatch(EtcdFailure::isConnectionRefused);
      if (lasting || refused || deadline.hasPassed()) {
        throw unreachable(failures, lasting);
      }
      pause(backoff.next(), deadline);
    }
  }

  /**
   * Returns null when it may be used. Being refused permission for its status is an answer, too.
   */
  private @Nullable EtcdFailure failureOf(EtcdConnection connection, Deadline deadline) {
    // Even without any time left, a healthy endpoint nearby is found.
    Duration limit = deadline.hasPassed() ? FIRST_PAUSE : deadline.remaining(settings.dial());
    try {
      EtcdResponse.Status state =
          connection.call(
              Rpc.STATUS, new EtcdRequest.Status(), new Metadata(), limit, new AtomicBoolean());
      if (state.leader() == 0) {
        return new EtcdFailure(
            connection.endpoint(), Status.UNAVAILABLE.withDescription("its cluster has no leader"));
      }
      return state.learner()
          ? new EtcdFailure(
              connection.endpoint(), Status.UNAVAILABLE.withDescription("it is a learner only"))
          : null;
    } catch (StatusRuntimeException e) {
      EtcdFailure failure = new EtcdFailure(connection.endpoint(), e.getStatus());
      return failure.remedy() == EtcdFailure.Remedy.RETRY_ELSEWHERE ? failure : null;
    }
  }

  private static DatastoreException unreachable(List<EtcdFailure> failures, boolean lasting) {
    StringJoiner reasons = new StringJoiner("; ");
    failures.forEach(failure -> reasons.add(failure.endpoint() + ": " + failure.dialReason()));
    Throwable cause = failures.isEmpty() ? null : failures.getLast().status().asRuntimeException();
    boolean refused =
        !failures.isEmpty()
            && failures.stream().allMatch(f -> f.reason().contains("refuses our certificate"));
    if (refused) {
      return new UnauthorizedException("etcd cannot be reached: " + reasons, cause);
    }
    String advice = lasting ? "" : ", check that it runs and that etcd_endpoints is right";
    return new UnavailableException(
        "etcd cannot be reached%s: %s".formatted(advice, reasons), cause);
  }

  /** Drops a connection, so that it is not returned again. Calls under way on it may finish. */
  void drop(EtcdConnection connection) {
    if (current != connection) {
      return;
    }
    dialling.lock();
    try {
      if (current == connection) {
        current = null;
        turn++;
        connection.retire();
      }
      open.removeIf(EtcdConnection::isClosed);
    } finally {
      dialling.unlock();
    }
  }

  private void discard(EtcdConnection connection) {
    connection.close();
    open.remove(connection);
  }

  private EventLoopGroup threads() {
    EventLoopGroup known = threads;
    if (known == null) {
      known =
          new MultiThreadIoEventLoopGroup(
              1, Thread.ofPlatform().daemon().name("etcd-io").factory(), NioIoHandler.newFactory());
      // Started here, it has the caller's network namespace; gRPC may start it on any thread.
      known.submit(() -> {}).syncUninterruptibly();
      threads = known;
    }
    return known;
  }

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the etcd datastore is closed");
    }
  }

  @Override
  public void close() {
    closed = true;
    // Wakes the thread that dials and holds the lock.
    open.forEach(EtcdConnection::close);
    dialling.lock();
    try {
      open.forEach(this::discard);
      current = null;
      if (threads != null) {
        threads
            .shutdownGracefully(0, CLOSED_WITHIN_SECONDS, TimeUnit.SECONDS)
            .awaitUninterruptibly(CLOSED_WITHIN_SECONDS, TimeUnit.SECONDS);
        threads = null;
        awaitEnd(ioThread);
      }
    } finally {
      dialling.unlock();
    }
  }

  /** The event loop reports itself terminated a little before its thread has ended. */
  private static void awaitEnd(@Nullable Thread thread) {
    if (thread == null) {
      return;
    }
    try {
      thread.join(Duration.ofSeconds(CLOSED_WITHIN_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits, but not beyond the deadline. */
  static void pause(Duration time, Deadline deadline) {
    try {
      Thread.sleep(deadline.remaining(time));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while waiting for etcd", e);
    }
  }
}
