package io.ocicat.sandbox.container;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * The streams of a process in a container, for a client that is connected to it. Each stream is
 * used by one thread, which may block; use platform threads for a terminal. Closing disconnects the
 * client and ends all blocked reads; a process of exec then finds its input at its end.
 */
public interface ContainerIo extends AutoCloseable {
  /** Closing it ends the process's input; writes are dropped when it was not asked for. */
  OutputStream stdin();

  /** With a terminal, everything the process prints. */
  InputStream stdout();

  /** At its end at once with a terminal. */
  InputStream stderr();

  /** Does nothing without a terminal. */
  void resize(int width, int height);

  /**
   * Waits for the end of the process, or of the connection to it.
   *
   * @return its exit code; for attach 0, whatever the container's was
   */
  int await() throws InterruptedException;

  @Override
  void close();
}
