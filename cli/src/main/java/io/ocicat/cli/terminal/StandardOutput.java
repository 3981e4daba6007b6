package io.ocicat.cli.terminal;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The standard output of commands, which records write errors. Print streams and writers hide them,
 * but output that got lost is a failure.
 */
public final class StandardOutput extends OutputStream {
  private final OutputStream to;
  private @Nullable IOException failure;

  public StandardOutput(OutputStream to) {
    this.to = to;
  }

  @Override
  public synchronized void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      to.write(bytes, offset, length);
    } catch (IOException e) {
      if (failure == null) {
        failure = e;
      }
      throw e;
    }
  }

  @Override
  public void flush() throws IOException {
    to.flush();
  }

  /** Why some of it was lost; a reader that closed a pipe early wanted no more. */
  public synchronized Optional<String> failure() {
    return Optional.ofNullable(failure)
        .map(e -> String.valueOf(e.getMessage()))
        .filter(why -> !why.equals("Broken pipe"));
  }
}
