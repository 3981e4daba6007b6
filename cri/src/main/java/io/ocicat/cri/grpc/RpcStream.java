package io.ocicat.cri.grpc;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.ocicat.cri.message.CriMessage;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The answers of one call that streams. Used by one thread; the caller may leave at any time. */
public final class RpcStream {
  private final ServerCallStreamObserver<byte[]> client;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Runnable atEnd = () -> {};
  private boolean gone;

  RpcStream(ServerCallStreamObserver<byte[]> client) {
    this.client = client;
    client.setOnCancelHandler(this::leave);
    client.setOnCloseHandler(this::leave);
    client.setOnReadyHandler(this::wake);
  }

  private void leave() {
    Runnable end;
    lock.lock();
    try {
      gone = true;
      changed.signalAll();
      end = atEnd;
    } finally {
      lock.unlock();
    }
    end.run();
  }

  private void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Runs this when the caller has gone, at once if it has already. */
  public void whenGone(Runnable end) {
    boolean now;
    lock.lock();
    try {
      atEnd = end;
      now = gone;
    } finally {
      lock.unlock();
    }
    if (now) {
      end.run();
    }
  }

  /**
   * Sends a message as soon as the caller takes more.
   *
   * @param limit for the caller to take what it was sent before; then the call ends
   * @return false when the caller has gone
   */
  public boolean send(CriMessage message, Duration limit) throws InterruptedException {
    lock.lock();
    try {
      long left = limit.toNanos();
      while (!gone && !client.isReady()) {
        left = changed.awaitNanos(left);
        if (left <= 0) {
          throw Status.RESOURCE_EXHAUSTED
              .withDescription("the client does not read what it asked for: subscribe again")
              .asRuntimeException();
        }
      }
      if (gone) {
        return false;
      }
    } finally {
      lock.unlock();
    }
    client.onNext(message.toBytes());
    return true;
  }

  public boolean isGone() {
    lock.lock();
    try {
      return gone;
    } finally {
      lock.unlock();
    }
  }

  void end() {
    if (depart()) {
      client.onCompleted();
    }
  }

  void fail(Status status) {
    if (depart()) {
      client.onError(status.asRuntimeException());
    }
  }

  /** Ends the call from outside, whatever it is doing. */
  void stop() {
    fail(Status.UNAVAILABLE.withDescription("the server is stopping"));
    leave();
  }

  /** Returns whether the caller was still there. */
  private boolean depart() {
    lock.lock();
    try {
      boolean there = !gone;
      gone = true;
      changed.signalAll();
      return there;
    } finally {
      lock.unlock();
    }
  }
}
