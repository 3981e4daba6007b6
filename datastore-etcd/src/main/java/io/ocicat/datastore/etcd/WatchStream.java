package io.ocicat.datastore.etcd;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One gRPC stream of watch responses, from the event loop to the reader. A response is requested
 * when the one before it was taken: flow control keeps the rest at etcd.
 */
final class WatchStream extends EtcdConnection.Stream<EtcdRequest.Watch, EtcdResponse.Watch> {
  private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
  private final EtcdConnection connection;
  private final Metadata headers;
  private volatile @Nullable ClientCall<EtcdRequest.Watch, EtcdResponse.Watch> call;

  /** What the reader receives. */
  sealed interface Signal {
    record Answered(EtcdResponse.Watch answer) implements Signal {}

    record Ended(Status status) implements Signal {}

    record Woken() implements Signal {}
  }

  private WatchStream(EtcdConnection connection, Metadata headers) {
    this.connection = connection;
    this.headers = headers;
  }

  /** Opens a stream with the headers of a login, which then belong to the stream. */
  static WatchStream open(EtcdConnection connection, Metadata headers, EtcdRequest.Watch request) {
    WatchStream stream = new WatchStream(connection, headers);
    connection.stream(Rpc.WATCH, request, headers, stream);
    return stream;
  }

  EtcdConnection connection() {
    return connection;
  }

  Metadata headers() {
    return headers;
  }

  /** Null after the timeout. */
  @Nullable Signal poll(Duration time) throws InterruptedException {
    Signal signal = signals.poll(time.toNanos(), TimeUnit.NANOSECONDS);
    if (signal instanceof Signal.Answered) {
      withCall(running -> running.request(1));
    }
    return signal;
  }

  /** Makes {@link #poll} return. */
  void wake() {
    signals.add(new Signal.Woken());
  }

  void cancel() {
    withCall(running -> running.cancel("the watch was closed", null));
  }

  private void withCall(Consumer<ClientCall<EtcdRequest.Watch, EtcdResponse.Watch>> action) {
    ClientCall<EtcdRequest.Watch, EtcdResponse.Watch> running = call;
    if (running == null) {
      return;
    }
    try {
      action.accept(running);
    } catch (RejectedExecutionException _) {
      // The store was closed, and the stream with it: its end is the next signal.
      signals.add(new Signal.Ended(Status.UNAVAILABLE.withDescription("closed")));
    }
  }

  @Override
  void begin(ClientCall<EtcdRequest.Watch, EtcdResponse.Watch> begun) {
    call = begun;
  }

  @Override
  public void onMessage(EtcdResponse.Watch answer) {
    signals.add(new Signal.Answered(answer));
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    signals.add(new Signal.Ended(status));
  }
}
