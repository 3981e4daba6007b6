package io.ocicat.datastore.etcd;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ClientStreamTracer;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;

/** A gRPC connection to one endpoint. Thread-safe. */
final class EtcdConnection {
  static final Metadata.Key<String> TOKEN =
      Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> REQUIRE_LEADER =
      Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

  /** Calico's; etcd closes connections that ping more often than every five seconds. */
  private static final long KEEPALIVE_SECONDS = 30;

  private static final long KEEPALIVE_ANSWER_SECONDS = 10;
  private static final long CLOSED_WITHIN_SECONDS = 5;

  /** Referenced strongly, because the levels of unreferenced loggers are lost. */
  private static final List<Logger> LOGS =
      List.of(Logger.getLogger("io.grpc"), Logger.getLogger("io.netty"));

  private final Endpoint endpoint;
  private final ManagedChannel channel;

  private EtcdConnection(Endpoint endpoint, ManagedChannel channel) {
    this.endpoint = endpoint;
    this.channel = channel;
  }

  static EtcdConnection open(Endpoint endpoint, TlsFiles tls, EventLoopGroup threads) {
    silenceLog();
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(endpoint.host(), endpoint.port())
            .channelType(NioSocketChannel.class)
            .eventLoopGroup(threads)
            // Callers wait on their own threads; the event loop only hands over.
            .directExecutor()
            // Look-ups wait, so each has a thread, which opens the connection as well. It comes
            // from
            // the event loop's and so has its network namespace; the carrier of a virtual thread
            // may have been started in another one.
            .offloadExecutor(
                lookUp ->
                    threads.execute(
                        () -> Thread.ofPlatform().daemon().name("etcd-lookup").start(lookUp)))
            .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
            .keepAliveTimeout(KEEPALIVE_ANSWER_SECONDS, TimeUnit.SECONDS)
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .disableServiceConfigLookUp()
            .disableRetry();
    ManagedChannel channel =
        (endpoint.tls() ? builder.sslContext(tls.context()) : builder.usePlaintext()).build();
    return new EtcdConnection(endpoint, channel);
  }

  /**
   * The libraries log with stack traces what they also report to their caller; off unless
   * configured.
   */
  private static void silenceLog() {
    for (Logger log : LOGS) {
      if (log.getLevel() == null) {
        log.setLevel(Level.SEVERE);
      }
    }
  }

  Endpoint endpoint() {
    return endpoint;
  }

  /**
   * Sends a request and waits for the response.
   *
   * @param sent becomes true when the request may have reached etcd
   * @throws io.grpc.StatusRuntimeException for every error status
   */
  <Q, A> A call(
      MethodDescriptor<Q, A> method,
      Q request,
      Metadata headers,
      Duration limit,
      AtomicBoolean sent) {
    CallOptions options =
        CallOptions.DEFAULT
            .withDeadlineAfter(limit.toNanos(), TimeUnit.NANOSECONDS)
            .withStreamTracerFactory(new SentTracer(sent));
    try {
      return ClientCalls.blockingUnaryCall(
          ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers)),
          method,
          options,
          request);
    } catch (RejectedExecutionException e) {
      throw closed(e);
    }
  }

  /** The store was closed meanwhile, and its thread accepts no more work. */
  private static StatusRuntimeException closed(RejectedExecutionException e) {
    return Status.UNAVAILABLE.withDescription("closed").withCause(e).asRuntimeException();
  }

  /** Opens a stream that ends when the endpoint loses its leader. */
  <Q, A> void stream(
      MethodDescriptor<Q, A> method, Q request, Metadata headers, Stream<Q, A> stream) {
    headers.put(REQUIRE_LEADER, "true");
    ClientCall<Q, A> call = channel.newCall(method, CallOptions.DEFAULT);
    stream.begin(call);
    try {
      call.start(stream, headers);
      call.sendMessage(request);
      call.request(1);
    } catch (RejectedExecutionException e) {
      throw closed(e);
    }
  }

  /** The listener of a stream; responses are delivered one by one, as they are requested. */
  abstract static class Stream<Q, A> extends ClientCall.Listener<A> {
    abstract void begin(ClientCall<Q, A> call);
  }

  /** Accepts no more calls; those under way may finish. */
  void retire() {
    channel.shutdown();
  }

  /** Whether it is fully closed. */
  boolean isClosed() {
    return channel.isTerminated();
  }

  /** Ends all calls, and waits until that is done. */
  void close() {
    channel.shutdownNow();
    try {
      channel.awaitTermination(CLOSED_WITHIN_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class SentTracer extends ClientStreamTracer.Factory {
    private final AtomicBoolean sent;

    SentTracer(AtomicBoolean sent) {
      this.sent = sent;
    }

    @Override
    public ClientStreamTracer newClientStreamTracer(
        ClientStreamTracer.StreamInfo info, Metadata headers) {
      return new ClientStreamTracer() {
        @Override
        public void outboundHeaders() {
          sent.set(true);
        }
      };
    }
  }
}
