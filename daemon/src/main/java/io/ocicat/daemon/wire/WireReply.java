package io.ocicat.daemon.wire;

import io.ocicat.cni.exec.PluginReply;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A daemon's reply to a request. */
public sealed interface WireReply {
  int HEADER = 20;

  /** The call is in progress: sent now and then as a keep-alive. */
  record Working() implements WireReply {}

  /** The call is done, successfully or not. */
  record Done(PluginReply reply) implements WireReply {}

  /** Nothing was done: the caller should make the call itself. */
  record Declined(String why) implements WireReply {}

  /** As the shim reads it. */
  default byte[] bytes() {
    return switch (this) {
      case Working() -> frame(1, 0, new byte[0], "");
      case Done(PluginReply reply) -> frame(2, reply.exitCode(), reply.stdout(), reply.stderr());
      case Declined(String why) -> frame(3, 0, new byte[0], why);
    };
  }

  private static byte[] frame(int kind, int exitCode, byte[] stdout, String text) {
    byte[] stderr = text.getBytes(StandardCharsets.UTF_8);
    ByteBuffer frame = Frames.allocate(HEADER + stdout.length + stderr.length);
    Frames.putStart(frame);
    frame.putShort((short) kind).putShort((short) exitCode);
    return Frames.bytes(frame.putInt(stdout.length).putInt(stderr.length).put(stdout).put(stderr));
  }

  /** Parses a complete reply. */
  static WireReply parse(byte[] bytes) {
    ByteBuffer frame = Frames.view(bytes);
    if (bytes.length < HEADER) {
      throw new WireException("a reply has at least %d bytes".formatted(HEADER));
    }
    Frames.checkStart(frame);
    int kind = frame.getShort();
    int exitCode = frame.getShort();
    byte[] stdout = new byte[Frames.length(frame, frame.remaining(), "stdout")];
    byte[] stderr = new byte[Frames.length(frame, frame.remaining(), "stderr")];
    if (frame.remaining() != stdout.length + stderr.length) {
      throw new WireException("the reply's length does not match its header");
    }
    frame.get(stdout).get(stderr);
    String text = new String(stderr, StandardCharsets.UTF_8);
    return switch (kind) {
      case 1 -> new Working();
      case 2 -> new Done(new PluginReply(exitCode, stdout, text));
      case 3 -> new Declined(text);
      default -> throw new WireException("unknown kind of reply: " + kind);
    };
  }
}
