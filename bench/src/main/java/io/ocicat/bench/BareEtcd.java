package io.ocicat.bench;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * A minimal Java client of etcd, as the baseline of the etcd engine: sends the same messages as
 * bytes over a gRPC channel, and does not parse the replies.
 */
final class BareEtcd implements AutoCloseable {
  private static final MethodDescriptor<byte[], byte[]> TXN = method("etcdserverpb.KV/Txn");
  private static final MethodDescriptor<byte[], byte[]> RANGE = method("etcdserverpb.KV/Range");

  /** Field numbers of the messages, from etcd's published definitions, and wire types. */
  private static final int CREATE_REVISION = 1;

  private static final int LENGTH_DELIMITED = 2;
  private static final int SHIFT = 3;
  private static final int GROUP = 7;
  private static final int MORE = 0x80;

  private final ManagedChannel channel;

  BareEtcd(String host, int port) {
    channel = NettyChannelBuilder.forAddress(host, port).usePlaintext().build();
  }

  private static MethodDescriptor<byte[], byte[]> method(String name) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(name)
        .setRequestMarshaller(new Bytes())
        .setResponseMarshaller(new Bytes())
        .build();
  }

  /** A transaction that puts a value if there is none. */
  static byte[] create(String key, String value) {
    ByteArrayOutputStream compare = new ByteArrayOutputStream();
    number(compare, 1, 0);
    number(compare, 2, CREATE_REVISION);
    bytes(compare, 3, key.getBytes(StandardCharsets.UTF_8));
    number(compare, 5, 0);
    ByteArrayOutputStream put = new ByteArrayOutputStream();
    bytes(put, 1, key.getBytes(StandardCharsets.UTF_8));
    bytes(put, 2, value.getBytes(StandardCharsets.UTF_8));
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    bytes(request, 2, put.toByteArray());
    ByteArrayOutputStream ask = new ByteArrayOutputStream();
    bytes(ask, 1, range(key));
    ByteArrayOutputStream txn = new ByteArrayOutputStream();
    bytes(txn, 1, compare.toByteArray());
    bytes(txn, 2, request.toByteArray());
    bytes(txn, 3, ask.toByteArray());
    return txn.toByteArray();
  }

  static byte[] range(String key) {
    ByteArrayOutputStream range = new ByteArrayOutputStream();
    bytes(range, 1, key.getBytes(StandardCharsets.UTF_8));
    return range.toByteArray();
  }

  byte[] txn(byte[] request) {
    return ClientCalls.blockingUnaryCall(channel, TXN, options(), request);
  }

  byte[] get(byte[] request) {
    return ClientCalls.blockingUnaryCall(channel, RANGE, options(), request);
  }

  private static CallOptions options() {
    return CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS);
  }

  private static void number(ByteArrayOutputStream out, int field, long value) {
    varint(out, (long) field << SHIFT);
    varint(out, value);
  }

  private static void bytes(ByteArrayOutputStream out, int field, byte[] value) {
    varint(out, ((long) field << SHIFT) | LENGTH_DELIMITED);
    varint(out, value.length);
    out.writeBytes(value);
  }

  private static void varint(ByteArrayOutputStream out, long value) {
    long rest = value;
    while (rest >= MORE) {
      out.write((int) ((rest & (MORE - 1)) | MORE));
      rest >>>= GROUP;
    }
    out.write((int) rest);
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }

  /** Bytes as they are. */
  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
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
