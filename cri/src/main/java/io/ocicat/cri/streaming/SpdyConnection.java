package io.ocicat.cri.streaming;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.spdy.DefaultSpdyDataFrame;
import io.netty.handler.codec.spdy.DefaultSpdyRstStreamFrame;
import io.netty.handler.codec.spdy.DefaultSpdySynReplyFrame;
import io.netty.handler.codec.spdy.SpdyDataFrame;
import io.netty.handler.codec.spdy.SpdyFrame;
import io.netty.handler.codec.spdy.SpdyFrameCodec;
import io.netty.handler.codec.spdy.SpdyHeadersFrame;
import io.netty.handler.codec.spdy.SpdyPingFrame;
import io.netty.handler.codec.spdy.SpdyRstStreamFrame;
import io.netty.handler.codec.spdy.SpdyStreamStatus;
import io.netty.handler.codec.spdy.SpdySynStreamFrame;
import io.netty.handler.codec.spdy.SpdyVersion;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The server's end of SPDY/3.1, as far as kubelet, crictl and the API server use it: the client
 * opens streams, and each is a pair of byte streams. Netty encodes the frames. Its session handler
 * is not used, because these clients neither send nor honour WINDOW_UPDATE and would stall.
 *
 * <p>One thread reads; any may write.
 */
final class SpdyConnection {
  private static final int READ = 16 << 10;
  private static final int MOST_STREAMS = 2048;

  private final InputStream in;
  private final OutputStream out;
  private final ReentrantLock writing = new ReentrantLock();
  private final EmbeddedChannel decoder = codec();
  private final EmbeddedChannel encoder = codec();
  private final Map<Integer, SpdyStream> streams = new ConcurrentHashMap<>();

  SpdyConnection(InputStream in, OutputStream out) {
    this.in = in;
    this.out = out;
  }

  private static EmbeddedChannel codec() {
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.config().setAllocator(new UnpooledByteBufAllocator(false));
    channel.pipeline().addLast(new SpdyFrameCodec(SpdyVersion.SPDY_3_1));
    return channel;
  }

  /** Reads until the connection ends; all streams end then. */
  void read(Consumer<SpdyStream> opened) throws IOException {
    byte[] buffer = new byte[READ];
    try {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        decoder.writeInbound(Unpooled.copiedBuffer(buffer, 0, count));
        for (Object frame = decoder.readInbound(); frame != null; frame = decoder.readInbound()) {
          try {
            handle(frame, opened);
          } finally {
            ReferenceCountUtil.release(frame);
          }
        }
      }
    } catch (RuntimeException e) {
      throw new IOException("the client does not speak SPDY/3.1: " + e.getMessage(), e);
    } finally {
      streams.values().forEach(SpdyStream::broken);
      decoder.finishAndReleaseAll();
    }
  }

  private void handle(Object frame, Consumer<SpdyStream> opened) throws IOException {
    switch (frame) {
      case SpdySynStreamFrame syn -> open(syn, opened);
      case SpdyDataFrame data -> {
        SpdyStream stream = streams.get(data.streamId());
        if (stream != null) {
          byte[] bytes = new byte[data.content().readableBytes()];
          data.content().readBytes(bytes);
          stream.received(bytes, data.isLast());
        }
      }
      case SpdyRstStreamFrame reset -> {
        SpdyStream stream = streams.remove(reset.streamId());
        if (stream != null) {
          stream.broken();
        }
      }
      case SpdyPingFrame ping -> {
        if (ping.id() % 2 != 0) {
          write(ping);
        }
      }
      default -> {
        // SETTINGS, WINDOW_UPDATE, GOAWAY and HEADERS change nothing here.
      }
    }
  }

  private void open(SpdySynStreamFrame syn, Consumer<SpdyStream> opened) throws IOException {
    int id = syn.streamId();
    if (syn.isInvalid() || syn.isTruncated() || id <= 0 || id % 2 == 0 || streams.containsKey(id)) {
      write(new DefaultSpdyRstStreamFrame(id, SpdyStreamStatus.PROTOCOL_ERROR));
      return;
    }
    if (streams.size() >= MOST_STREAMS) {
      write(new DefaultSpdyRstStreamFrame(id, SpdyStreamStatus.REFUSED_STREAM));
      return;
    }
    Map<String, String> headers = new TreeMap<>();
    syn.headers()
        .forEach(header -> headers.put(header.getKey().toString(), header.getValue().toString()));
    SpdyStream stream = new SpdyStream(this, id, headers);
    streams.put(id, stream);
    // At once: the client drops data of streams that were not replied to.
    SpdyHeadersFrame reply = new DefaultSpdySynReplyFrame(id);
    // Netty writes no header block at all for no headers, which Go's clients take for damage.
    reply.headers().set("server", "ocicat");
    write(reply);
    if (syn.isLast()) {
      stream.received(new byte[0], true);
    }
    opened.accept(stream);
  }

  void data(int id, byte[] bytes, boolean last) throws IOException {
    SpdyDataFrame frame = new DefaultSpdyDataFrame(id, Unpooled.wrappedBuffer(bytes));
    frame.setLast(last);
    write(frame);
  }

  void reset(int id) throws IOException {
    streams.remove(id);
    write(new DefaultSpdyRstStreamFrame(id, SpdyStreamStatus.CANCEL));
  }

  void forget(int id) {
    streams.remove(id);
  }

  private void write(SpdyFrame frame) throws IOException {
    writing.lock();
    try {
      encoder.writeOutbound(frame);
      for (ByteBuf bytes = encoder.readOutbound(); bytes != null; bytes = encoder.readOutbound()) {
        try {
          bytes.readBytes(out, bytes.readableBytes());
        } finally {
          bytes.release();
        }
      }
      out.flush();
    } finally {
      writing.unlock();
    }
  }
}
