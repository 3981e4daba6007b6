package io.ocicat.cri.streaming;

import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerIo;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.BlockingQueue;

/** A process of the machine in the place of a container's. */
final class LocalProcess implements ContainerIo {
  private final Process process;
  private final BlockingQueue<String> sizes;

  private LocalProcess(Process process, BlockingQueue<String> sizes) {
    this.process = process;
    this.sizes = sizes;
  }

  static LocalProcess start(List<String> command, BlockingQueue<String> sizes) {
    try {
      return new LocalProcess(new ProcessBuilder(command).start(), sizes);
    } catch (IOException e) {
      throw new SandboxException(Reason.FAILED, "cannot run it: " + e.getMessage(), e);
    }
  }

  @Override
  public OutputStream stdin() {
    return process.getOutputStream();
  }

  @Override
  public InputStream stdout() {
    return process.getInputStream();
  }

  @Override
  public InputStream stderr() {
    return process.getErrorStream();
  }

  @Override
  public void resize(int width, int height) {
    sizes.add(width + "x" + height);
  }

  @Override
  public int await() throws InterruptedException {
    return process.waitFor();
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
    } catch (IOException _) {
      // It ended before it had read everything.
    }
  }
}
