package io.ocicat.cri.streaming;

import java.util.List;

/** What a client may do with a token, once; checked when the token was given out. */
public sealed interface StreamingRequest {
  /** The first part of the address. */
  String path();

  /** Streams of one process. */
  sealed interface OfProcess extends StreamingRequest {
    String containerId();

    boolean tty();

    boolean stdin();

    boolean stdout();

    boolean stderr();
  }

  /** A new process. */
  record Exec(
      String containerId,
      List<String> command,
      boolean tty,
      boolean stdin,
      boolean stdout,
      boolean stderr)
      implements OfProcess {
    public Exec {
      command = List.copyOf(command);
    }

    @Override
    public String path() {
      return "exec";
    }
  }

  /** The first process of the container. */
  record Attach(String containerId, boolean tty, boolean stdin, boolean stdout, boolean stderr)
      implements OfProcess {
    @Override
    public String path() {
      return "attach";
    }
  }

  /**
   * Ports of a pod.
   *
   * @param ports for WebSocket, whose streams are numbered by them; SPDY names ports by itself
   */
  record PortForward(String sandboxId, List<Integer> ports) implements StreamingRequest {
    public PortForward {
      ports = List.copyOf(ports);
    }

    @Override
    public String path() {
      return "portforward";
    }
  }
}
