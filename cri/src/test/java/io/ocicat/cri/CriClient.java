package io.ocicat.cri;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.util.concurrent.Future;
import io.ocicat.cri.message.CriMessage;
import io.ocicat.cri.message.Fields;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A gRPC client of CRI, as kubelet and crictl are. */
public final class CriClient implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final EventLoopGroup threads =
      new MultiThreadIoEventLoopGroup(
          1, Thread.ofPlatform().daemon().name("client-io").factory(), NioIoHandler.newFactory());
  private final ManagedChannel channel;

  public CriClient(Path socket) {
    channel =
        NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
            .eventLoopGroup(threads)
            .overrideAuthority("localhost")
            .maxInboundMessageSize(16 << 20)
            .disableServiceConfigLookUp()
            .disableRetry()
            .usePlaintext()
            .build();
  }

  /** Calls a method by its name; the service is known from that. */
  public <A> A call(String method, CriMessage request, Function<Fields, A> read) {
    return call(method, request.toBytes(), read, PATIENCE);
  }

  public <A> A call(String method, byte[] request, Function<Fields, A> read, Duration limit) {
    byte[] answer =
        ClientCalls.blockingUnaryCall(
            channel,
            descriptor(MethodType.UNARY, method),
            CallOptions.DEFAULT.withDeadlineAfter(limit.toNanos(), TimeUnit.NANOSECONDS),
            request);
    return Fields.parse(answer, read);
  }

  /** The status of a call that fails. */
  public Status failure(String method, CriMessage request) {
    return failure(method, request.toBytes());
  }

  public Status failure(String method, byte[] request) {
    try {
      call(method, request, _ -> "", PATIENCE);
    } catch (StatusRuntimeException e) {
      return e.getStatus();
    }
    throw new AssertionError(method + " succeeded");
  }

  /** Receives the messages of a stream, as many as are asked for. */
  public ClientCall<byte[], byte[]> stream(
      String method, CriMessage request, ClientCall.Listener<byte[]> listener) {
    ClientCall<byte[], byte[]> call =
        channel.newCall(descriptor(MethodType.SERVER_STREAMING, method), CallOptions.DEFAULT);
    call.start(listener, new Metadata());
    call.sendMessage(request.toBytes());
    call.halfClose();
    return call;
  }

  private static MethodDescriptor<byte[], byte[]> descriptor(MethodType type, String method) {
    String service = method.contains("Image") ? "ImageService" : "RuntimeService";
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(type)
        .setFullMethodName(method.contains("/") ? method : "runtime.v1." + service + "/" + method)
        .setRequestMarshaller(Bytes.INSTANCE)
        .setResponseMarshaller(Bytes.INSTANCE)
        .build();
  }

  private enum Bytes implements Marshaller<byte[]> {
    INSTANCE;

    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    Future<?> _ = threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
