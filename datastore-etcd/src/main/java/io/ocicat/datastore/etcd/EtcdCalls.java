package io.ocicat.datastore.etcd;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.ocicat.base.Backoff;
import io.ocicat.base.Deadline;
import io.ocicat.datastore.DatastoreRequest;
import io.ocicat.datastore.RequestListener;
import io.ocicat.datastore.error.UnavailableException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Calls etcd, with retries until the timeout: a read is repeated, at the next endpoint, when no
 * answer comes; a write only while it was certainly not sent.
 */
final class EtcdCalls {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

  private final EtcdEndpoints members;
  private final EtcdAuth login;
  private final Duration timeout;

  EtcdCalls(EtcdEndpoints members, EtcdAuth login, Duration timeout) {
    this.members = members;
    this.login = login;
    this.timeout = timeout;
  }

  EtcdEndpoints members() {
    return members;
  }

  EtcdAuth login() {
    return login;
  }

  /**
   * Calls a method that changes nothing.
   *
   * @param subject what is requested, for error messages
   */
  <Q, A> A read(MethodDescriptor<Q, A> method, Q request, String subject) {
    members.prepare();
    return new Attempts<>(method, request, subject, Deadline.in(timeout), true).run();
  }

  <Q, A> A read(MethodDescriptor<Q, A> method, Q request, String subject, Deadline deadline) {
    return new Attempts<>(method, request, subject, deadline, true).run();
  }

  /** Calls a method that changes something. */
  <Q, A> A write(MethodDescriptor<Q, A> method, Q request, String subject) {
    members.prepare();
    return new Attempts<>(method, request, subject, Deadline.in(timeout), false).run();
  }

  /** One call with its retries. */
  private final class Attempts<Q, A> {
    private final MethodDescriptor<Q, A> method;
    private final Q request;
    private final String subject;
    private final Deadline deadline;
    private final boolean repeatable;
    private final AtomicBoolean sent = new AtomicBoolean();
    private final Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
    private boolean loggedInAgain;
    private int attempts;
    private long paused;

    Attempts(
        MethodDescriptor<Q, A> method,
        Q request,
        String subject,
        Deadline deadline,
        boolean repeatable) {
      this.method = method;
      this.request = request;
      this.subject = subject;
      this.deadline = deadline;
      this.repeatable = repeatable;
    }

    A run() {
      long start = System.nanoTime();
      boolean succeeded = false;
      try {
        A answer = untilAnswered();
        succeeded = true;
        return answer;
      } finally {
        RequestListener.report(
            new DatastoreRequest(
                "%s %s".formatted(method.getBareMethodName(), subject),
                attempts,
                0,
                paused,
                succeeded,
                start,
                System.nanoTime()));
      }
    }

    private A untilAnswered() {
      while (true) {
        attempts++;
        EtcdConnection connection = members.connection(deadline);
        Metadata headers = new Metadata();
        sent.set(false);
        try {
          headers = login.headers(connection, limit());
          return connection.call(method, request, headers, limit(), sent);
        } catch (StatusRuntimeException e) {
          prepareNext(connection, headers, new EtcdFailure(connection.endpoint(), e.getStatus()));
        }
      }
    }

    /** A silent endpoint must leave time to try another. */
    private Duration limit() {
      return repeatable ? deadline.remaining(timeout.dividedBy(2)) : deadline.remaining();
    }

    /** Returns when the call may be retried. */
    private void prepareNext(EtcdConnection connection, Metadata headers, EtcdFailure failure) {
      members.checkOpen();
      if (Thread.currentThread().isInterrupted()) {
        throw repeatable || !sent.get()
            ? new UnavailableException("interrupted while waiting for etcd", null)
            : failure.outcomeUnknown(subject);
      }
      switch (failure.remedy()) {
        case LOG_IN -> {
          if (loggedInAgain || !login.discard(headers)) {
            throw failure.exception(subject);
          }
          loggedInAgain = true;
        }
        case RETRY_ELSEWHERE -> {
          members.drop(connection);
          if (!repeatable && sent.get()) {
            throw failure.outcomeUnknown(subject);
          }
          again(failure);
        }
        case WAIT -> again(failure);
        case NONE -> throw failure.exception(subject);
      }
    }

    private void again(EtcdFailure failure) {
      if (deadline.hasPassed()) {
        throw failure.exception(subject);
      }
      long from = System.nanoTime();
      EtcdEndpoints.pause(backoff.next(), deadline);
      paused += System.nanoTime() - from;
    }
  }
}
