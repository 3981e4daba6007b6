package io.ocicat.datastore.etcd;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.ocicat.base.protobuf.ProtobufReader;
import io.ocicat.base.protobuf.ProtobufWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** The gRPC methods of etcd that are used here. */
final class Rpc {
  static final MethodDescriptor<EtcdRequest.Range, EtcdResponse.Range> RANGE =
      unary("KV/Range", EtcdResponse.Range::read);
  static final MethodDescriptor<EtcdRequest.Txn, EtcdResponse.Txn> TXN =
      unary("KV/Txn", EtcdResponse.Txn::read);
  static final MethodDescriptor<EtcdRequest.Watch, EtcdResponse.Watch> WATCH =
      method(MethodType.BIDI_STREAMING, "Watch/Watch", EtcdResponse.Watch::read);
  static final MethodDescriptor<EtcdRequest.LeaseGrant, EtcdResponse.Lease> LEASE_GRANT =
      unary("Lease/LeaseGrant", EtcdResponse.Lease::read);
  static final MethodDescriptor<EtcdRequest.Lease, EtcdResponse.Lease> LEASE_REVOKE =
      unary("Lease/LeaseRevoke", EtcdResponse.Lease::read);

  /** A stream in etcd; one request and one response here. */
  static final MethodDescriptor<EtcdRequest.Lease, EtcdResponse.Lease> LEASE_KEEP_ALIVE =
      method(MethodType.BIDI_STREAMING, "Lease/LeaseKeepAlive", EtcdResponse.Lease::read);

  static final MethodDescriptor<EtcdRequest.Authenticate, EtcdResponse.Authenticated> AUTHENTICATE =
      unary("Auth/Authenticate", EtcdResponse.Authenticated::read);
  static final MethodDescriptor<EtcdRequest.Status, EtcdResponse.Status> STATUS =
      unary("Maintenance/Status", EtcdResponse.Status::read);

  private Rpc() {}

  private static <Q extends EtcdRequest, A extends EtcdResponse> MethodDescriptor<Q, A> unary(
      String name, Function<ProtobufReader, A> read) {
    return method(MethodType.UNARY, name, read);
  }

  private static <Q extends EtcdRequest, A extends EtcdResponse> MethodDescriptor<Q, A> method(
      MethodType type, String name, Function<ProtobufReader, A> read) {
    return MethodDescriptor.<Q, A>newBuilder()
        .setType(type)
        .setFullMethodName("etcdserverpb." + name)
        .setRequestMarshaller(new Requests<>())
        .setResponseMarshaller(new Answers<>(read))
        .build();
  }

  private record Requests<Q extends EtcdRequest>() implements Marshaller<Q> {
    @Override
    public InputStream stream(Q request) {
      ProtobufWriter out = new ProtobufWriter();
      request.write(out);
      return new Written(out.toBytes());
    }

    @Override
    public Q parse(InputStream stream) {
      throw new UnsupportedOperationException("only etcd reads requests");
    }
  }

  /** Hands itself over in one piece, where another stream is copied through a buffer. */
  private static final class Written extends ByteArrayInputStream implements Drainable {
    Written(byte[] message) {
      super(message);
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      int size = available();
      target.write(buf, pos, size);
      pos = count;
      return size;
    }
  }

  private record Answers<A extends EtcdResponse>(Function<ProtobufReader, A> read)
      implements Marshaller<A> {
    @Override
    public InputStream stream(A answer) {
      throw new UnsupportedOperationException("only etcd writes answers");
    }

    @Override
    public A parse(InputStream stream) {
      try {
        // With the size known, no buffer is needed in addition to the message.
        byte[] message =
            stream instanceof KnownLength
                ? stream.readNBytes(stream.available())
                : stream.readAllBytes();
        return read.apply(new ProtobufReader(ByteBuffer.wrap(message)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
