package io.ocicat.cri.grpc;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.ocicat.cri.message.CriMessage;
import io.ocicat.cri.message.Fields;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The methods of a service. What a method throws becomes the status of its call. */
public final class RpcService {
  private final String name;
  private final Function<Throwable, Status> failures;
  private final ServerServiceDefinition.Builder methods;
  private final Set<RpcStream> streams = ConcurrentHashMap.newKeySet();

  /**
   * Begins a service.
   *
   * @param failures the status for what a method throws
   */
  public RpcService(String name, Function<Throwable, Status> failures) {
    this.name = name;
    this.failures = failures;
    this.methods = ServerServiceDefinition.builder(name);
  }

  /** A method that gets the request as a value and as it came. */
  @FunctionalInterface
  public interface Method<Q> {
    CriMessage answer(Q request, byte[] bytes);
  }

  /** A method that returns many messages, until its caller is gone. */
  @FunctionalInterface
  public interface StreamMethod<Q> {
    void answer(Q request, RpcStream stream) throws InterruptedException;
  }

  public <Q> RpcService method(
      String method, Function<Fields, Q> read, Function<Q, CriMessage> answer) {
    return method(method, read, (request, _) -> answer.apply(request));
  }

  public <Q> RpcService method(String method, Function<Fields, Q> read, Method<Q> answer) {
    methods.addMethod(
        descriptor(MethodType.UNARY, method),
        ServerCalls.asyncUnaryCall(
            (bytes, client) -> {
              ignoreCancellation(client);
              byte[] response;
              try {
                response = answer.answer(Fields.parse(bytes, read), bytes).toBytes();
                checkSize(response);
              } catch (RuntimeException | Error e) {
                client.onError(failures.apply(e).asRuntimeException());
                return;
              }
              client.onNext(response);
              client.onCompleted();
            }));
    return this;
  }

  public <Q> RpcService stream(String method, Function<Fields, Q> read, StreamMethod<Q> answer) {
    methods.addMethod(
        descriptor(MethodType.SERVER_STREAMING, method),
        ServerCalls.asyncServerStreamingCall(
            (bytes, client) -> {
              RpcStream stream = new RpcStream((ServerCallStreamObserver<byte[]>) client);
              streams.add(stream);
              // On a thread of its own: gRPC calls back one at a time, and it must hear of the end.
              Thread.ofVirtual()
                  .name("cri-stream")
                  .start(
                      () -> {
                        try {
                          answer.answer(Fields.parse(bytes, read), stream);
                          stream.end();
                        } catch (InterruptedException | RuntimeException | Error e) {
                          stream.fail(failures.apply(e));
                        } finally {
                          streams.remove(stream);
                        }
                      });
            }));
    return this;
  }

  /** A method that exists in CRI, and not here. */
  public RpcService unsupported(MethodType type, String method, String why) {
    Status status = Status.UNIMPLEMENTED.withDescription(why);
    MethodDescriptor<byte[], byte[]> descriptor = descriptor(type, method);
    methods.addMethod(
        descriptor,
        type == MethodType.UNARY
            ? ServerCalls.asyncUnaryCall((_, client) -> client.onError(status.asRuntimeException()))
            : ServerCalls.asyncServerStreamingCall(
                (_, client) -> client.onError(status.asRuntimeException())));
    return this;
  }

  ServerServiceDefinition definition() {
    return methods.build();
  }

  /** Ends the calls that stream. */
  void stop() {
    streams.forEach(RpcStream::stop);
  }

  /** With a handler, answering a caller that is gone is not an error. */
  private static void ignoreCancellation(StreamObserver<byte[]> client) {
    ((ServerCallStreamObserver<byte[]>) client).setOnCancelHandler(() -> {});
  }

  private static void checkSize(byte[] response) {
    if (response.length > RpcServer.LARGEST_MESSAGE) {
      throw Status.RESOURCE_EXHAUSTED
          .withDescription(
              "the answer has %d bytes, and clients take %d: ask with a filter"
                  .formatted(response.length, RpcServer.LARGEST_MESSAGE))
          .asRuntimeException();
    }
  }

  private MethodDescriptor<byte[], byte[]> descriptor(MethodType type, String method) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(name, method))
        .setRequestMarshaller(Bytes.INSTANCE)
        .setResponseMarshaller(Bytes.INSTANCE)
        .build();
  }

  /** Messages are read by the methods, which can refuse them with a status. */
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
}
