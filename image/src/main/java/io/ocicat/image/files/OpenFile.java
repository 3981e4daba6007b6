package io.ocicat.image.files;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.Syscall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A file that was opened in a {@link Directory}. Not thread-safe. The owner closes it. */
public final class OpenFile implements AutoCloseable {
  private static final int BUFFER = 128 << 10;

  private final Fd fd;
  private final String path;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment buffer = arena.allocate(BUFFER);

  OpenFile(Fd fd, String path) {
    this.fd = fd;
    this.path = path;
  }

  /** Writes all of it. */
  public void write(byte[] bytes, int from, int length) {
    for (int start = from; start < from + length; start += BUFFER) {
      int size = Math.min(BUFFER, from + length - start);
      MemorySegment.copy(bytes, start, buffer, JAVA_BYTE, 0, size);
      for (long done = 0; done < size; ) {
        done += retried(Syscall.WRITE, buffer.address() + done, size - done, "write");
      }
    }
  }

  /** Reads some bytes; 0 at the end. */
  public int read(byte[] bytes) {
    int length =
        (int) retried(Syscall.READ, buffer.address(), Math.min(bytes.length, BUFFER), "read");
    MemorySegment.copy(buffer, JAVA_BYTE, 0, bytes, 0, length);
    return length;
  }

  private long retried(Syscall syscall, long address, long size, String verb) {
    long result;
    do {
      result = Kernel.call(syscall, fd.number(), address, size);
    } while (result == -Errno.EINTR.number());
    if (result < 0) {
      throw new NetlinkException(verb + " " + RawName.quoted(path), Errno.ofResult(result));
    }
    return result;
  }

  @Override
  public void close() {
    fd.close();
    arena.close();
  }
}
