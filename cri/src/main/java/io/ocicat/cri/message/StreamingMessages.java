package io.ocicat.cri.message;

import java.nio.ByteBuffer;
import java.util.List;

/** Requests that run programs in containers or reach into pods. */
public final class StreamingMessages {
  private StreamingMessages() {}

  /** Runs a program and waits for it; a timeout of 0 seconds is none. */
  public record ExecSyncRequest(String containerId, List<String> cmd, long timeout)
      implements CriMessage {
    public ExecSyncRequest {
      cmd = List.copyOf(cmd);
    }

    public static ExecSyncRequest read(Fields in) {
      return new ExecSyncRequest(
          in.text(1, "container_id"), in.texts(2, "cmd"), in.number(3, "timeout"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, containerId).texts(2, cmd).number(3, timeout);
    }
  }

  /** What a program printed. */
  public record ExecSyncResponse(ByteBuffer stdout, ByteBuffer stderr, int exitCode)
      implements CriMessage {
    public static ExecSyncResponse read(Fields in) {
      return new ExecSyncResponse(
          in.bytes(1, "stdout"), in.bytes(2, "stderr"), in.int32(3, "exit_code"));
    }

    @Override
    public void write(FieldWriter out) {
      out.bytes(1, stdout).bytes(2, stderr).number(3, exitCode);
    }
  }

  /** Asks for the address where a program can be run. */
  public record ExecRequest(
      String containerId,
      List<String> cmd,
      boolean tty,
      boolean stdin,
      boolean stdout,
      boolean stderr)
      implements CriMessage {
    public ExecRequest {
      cmd = List.copyOf(cmd);
    }

    public static ExecRequest read(Fields in) {
      return new ExecRequest(
          in.text(1, "container_id"),
          in.texts(2, "cmd"),
          in.flag(3, "tty"),
          in.flag(4, "stdin"),
          in.flag(5, "stdout"),
          in.flag(6, "stderr"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, containerId)
          .texts(2, cmd)
          .flag(3, tty)
          .flag(4, stdin)
          .flag(5, stdout)
          .flag(6, stderr);
    }
  }

  /** Asks for the address where a container's streams are. */
  public record AttachRequest(
      String containerId, boolean stdin, boolean tty, boolean stdout, boolean stderr)
      implements CriMessage {
    public static AttachRequest read(Fields in) {
      return new AttachRequest(
          in.text(1, "container_id"),
          in.flag(2, "stdin"),
          in.flag(3, "tty"),
          in.flag(4, "stdout"),
          in.flag(5, "stderr"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, containerId).flag(2, stdin).flag(3, tty).flag(4, stdout).flag(5, stderr);
    }
  }

  /** Asks for the address where ports of a pod are. */
  public record PortForwardRequest(String podSandboxId, List<Long> port) implements CriMessage {
    public PortForwardRequest {
      port = List.copyOf(port);
    }

    public static PortForwardRequest read(Fields in) {
      return new PortForwardRequest(in.text(1, "pod_sandbox_id"), in.numbers(2, "port"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, podSandboxId).numbers(2, port);
    }
  }

  /** The address of a stream; the answer to Exec, Attach and PortForward. */
  public record StreamingResponse(String url) implements CriMessage {
    public static StreamingResponse read(Fields in) {
      return new StreamingResponse(in.text(1, "url"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, url);
    }
  }
}
