package io.ocicat.cri.streaming;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.spdy.DefaultSpdyDataFrame;
import io.netty.handler.codec.spdy.DefaultSpdyPingFrame;
import io.netty.handler.codec.spdy.DefaultSpdyRstStreamFrame;
import io.netty.handler.codec.spdy.DefaultSpdySynStreamFrame;
import io.netty.handler.codec.spdy.SpdyDataFrame;
import io.netty.handler.codec.spdy.SpdyFrame;
import io.netty.handler.codec.spdy.SpdyFrameCodec;
import io.netty.handler.codec.spdy.SpdyPingFrame;
import io.netty.handler.codec.spdy.SpdyRstStreamFrame;
import io.netty.handler.codec.spdy.SpdyStreamStatus;
import io.netty.handler.codec.spdy.SpdySynReplyFrame;
import io.netty.handler.codec.spdy.SpdySynStreamFrame;
import io.netty.handler.codec.spdy.SpdyVersion;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A client as kubelet and crictl are one: it opens streams, and never sends WINDOW_UPDATE. */
public final class SpdyClient implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 30;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  final String head;
  private final EmbeddedChannel encoder =
      new EmbeddedChannel(new SpdyFrameCodec(SpdyVersion.SPDY_3_1));
  private final EmbeddedChannel decoder =
      new EmbeddedChannel(new SpdyFrameCodec(SpdyVersion.SPDY_3_1));
  private final Map<Integer, Stream> streams = new ConcurrentHashMap<>();
  final CountDownLatch pinged = new CountDownLatch(1);
  private int nextId = 1;

  /** What came in on one stream. */
  public final class Stream {
    final int id;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    final CountDownLatch replied = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    volatile boolean reset;

    Stream(int id) {
      this.id = id;
    }

    public void send(String text) throws IOException {
      send(text.getBytes(StandardCharsets.UTF_8));
    }

    public void send(byte[] bytes) throws IOException {
      write(new DefaultSpdyDataFrame(id, Unpooled.wrappedBuffer(bytes)));
    }

    public void end() throws IOException {
      write(new DefaultSpdyDataFrame(id).setLast(true));
    }

    void cancel() throws IOException {
      write(new DefaultSpdyRstStreamFrame(id, SpdyStreamStatus.CANCEL));
    }

    public String awaitEnd() throws InterruptedException {
      if (!ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("stream %d did not end; it has: %s".formatted(id, text()));
      }
      return text();
    }

    public synchronized String text() {
      return received.toString(StandardCharsets.UTF_8);
    }

    synchronized int size() {
      return received.size();
    }

    private synchronized void add(byte[] bytes) {
      received.writeBytes(bytes);
    }
  }

  public SpdyClient(URI address, String... protocols) throws IOException {
    socket = new Socket();
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), address.getPort()));
    in = socket.getInputStream();
    out = socket.getOutputStream();
    StringBuilder request = new StringBuilder();
    request.append("POST %s HTTP/1.1\r\nHost: x\r\n".formatted(address.getPath()));
    request.append("Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n");
    for (String protocol : protocols) {
      request.append("X-Stream-Protocol-Version: %s\r\n".formatted(protocol));
    }
    out.write(request.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    while (!answer.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        break;
      }
      answer.write(next);
    }
    head = answer.toString(StandardCharsets.ISO_8859_1);
    if (head.startsWith("HTTP/1.1 101 ")) {
      Thread.ofVirtual().start(this::read);
    }
  }

  public Stream open(Map<String, String> headers) throws IOException {
    Stream stream;
    synchronized (this) {
      stream = new Stream(nextId);
      nextId += 2;
    }
    streams.put(stream.id, stream);
    SpdySynStreamFrame frame = new DefaultSpdySynStreamFrame(stream.id, 0, (byte) 0);
    headers.forEach((name, value) -> frame.headers().set(name, value));
    write(frame);
    return stream;
  }

  public Stream open(String type) throws IOException {
    return open(Map.of("streamtype", type));
  }

  void ping(int id) throws IOException {
    write(new DefaultSpdyPingFrame(id));
  }

  private synchronized void write(SpdyFrame frame) throws IOException {
    encoder.writeOutbound(frame);
    for (ByteBuf bytes = encoder.readOutbound(); bytes != null; bytes = encoder.readOutbound()) {
      bytes.readBytes(out, bytes.readableBytes());
      bytes.release();
    }
  }

  private void read() {
    byte[] buffer = new byte[8192];
    try {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        decoder.writeInbound(Unpooled.copiedBuffer(buffer, 0, count));
        for (Object frame = decoder.readInbound(); frame != null; frame = decoder.readInbound()) {
          handle(frame);
          ReferenceCountUtil.release(frame);
        }
      }
    } catch (IOException _) {
      // Closed.
    }
    streams.values().forEach(stream -> stream.ended.countDown());
  }

  private void handle(Object frame) {
    switch (frame) {
      case SpdySynReplyFrame reply -> {
        // Go's library does not read a reply that has none.
        if (!reply.headers().isEmpty()) {
          stream(reply.streamId()).replied.countDown();
        }
      }
      case SpdyDataFrame data -> {
        byte[] bytes = new byte[data.content().readableBytes()];
        data.content().readBytes(bytes);
        stream(data.streamId()).add(bytes);
        if (data.isLast()) {
          stream(data.streamId()).ended.countDown();
        }
      }
      case SpdyRstStreamFrame reset -> {
        stream(reset.streamId()).reset = true;
        stream(reset.streamId()).ended.countDown();
      }
      case SpdyPingFrame _ -> pinged.countDown();
      default -> {
        // Nothing else is sent.
      }
    }
  }

  private Stream stream(int id) {
    Stream stream = streams.get(id);
    if (stream == null) {
      throw new AssertionError("no stream " + id);
    }
    return stream;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
