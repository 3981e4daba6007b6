package io.ocicat.cli.pod;

import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerIo;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Connects a process in a container with the streams of this one. */
final class ContainerTerminal {
  private static final int BUFFER = 32 << 10;

  private ContainerTerminal() {}

  /** Returns the exit code of the process. */
  static int run(ContainerIo process) {
    try (process) {
      pump(new FileInputStream(FileDescriptor.in), process.stdin(), true);
      Thread stdout = pump(process.stdout(), new FileOutputStream(FileDescriptor.out), false);
      Thread stderr = pump(process.stderr(), new FileOutputStream(FileDescriptor.err), false);
      int code = process.await();
      stdout.join();
      stderr.join();
      return code;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException(Reason.FAILED, "interrupted", e);
    }
  }

  private static Thread pump(InputStream in, OutputStream out, boolean close) {
    return Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              byte[] buffer = new byte[BUFFER];
              try {
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                  out.write(buffer, 0, count);
                  out.flush();
                }
                if (close) {
                  out.close();
                }
              } catch (IOException _) {
                // One of both sides has gone: the exit code says the rest.
              }
            });
  }
}
