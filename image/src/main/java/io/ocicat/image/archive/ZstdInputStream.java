package io.ocicat.image.archive;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Decompresses zstd, any number of frames. Memory is bounded by the library, which refuses windows
 * of more than 128 MiB. Not thread-safe; may be used and closed by different threads in turn.
 */
final class ZstdInputStream extends InputStream {
  private static final int INPUT = 64 << 10;
  private static final int OUTPUT = 128 << 10;

  /** struct { void *data; size_t size; size_t position; } for both directions. */
  private static final int BUFFER_SIZE = 24;

  private static final int DATA = 0;
  private static final int LENGTH = 8;
  private static final int POSITION = 16;

  private final InputStream in;
  private final Zstd zstd;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment stream;
  private final MemorySegment input = arena.allocate(INPUT);
  private final MemorySegment output = arena.allocate(OUTPUT);
  private final MemorySegment inputBuffer = arena.allocate(BUFFER_SIZE, Long.BYTES);
  private final MemorySegment outputBuffer = arena.allocate(BUFFER_SIZE, Long.BYTES);
  private final byte[] chunk = new byte[INPUT];
  private int available;
  private int taken;
  private boolean withinFrame;
  private boolean closed;

  ZstdInputStream(InputStream in) throws ArchiveException {
    this.in = in;
    this.zstd = Zstd.load();
    this.stream = zstd.create();
    inputBuffer.set(ADDRESS, DATA, input);
    outputBuffer.set(ADDRESS, DATA, output);
    outputBuffer.set(JAVA_LONG, LENGTH, OUTPUT);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] buffer, int from, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (taken == available) {
      if (!decompressMore()) {
        return -1;
      }
    }
    int count = Math.min(length, available - taken);
    MemorySegment.copy(output, JAVA_BYTE, taken, buffer, from, count);
    taken += count;
    return count;
  }

  private boolean decompressMore() throws IOException {
    boolean outputWasFull = available == OUTPUT;
    boolean inputLeft = inputBuffer.get(JAVA_LONG, POSITION) < inputBuffer.get(JAVA_LONG, LENGTH);
    if (!inputLeft) {
      int length = in.read(chunk);
      if (length < 0 && !outputWasFull) {
        if (withinFrame) {
          throw new ArchiveException("damaged zstd: it ends in the middle of a frame");
        }
        return false;
      }
      MemorySegment.copy(chunk, 0, input, JAVA_BYTE, 0, Math.max(0, length));
      inputBuffer.set(JAVA_LONG, LENGTH, Math.max(0, length));
      inputBuffer.set(JAVA_LONG, POSITION, 0);
    }
    outputBuffer.set(JAVA_LONG, POSITION, 0);
    long more = zstd.decompress(stream, outputBuffer, inputBuffer);
    withinFrame = more != 0;
    available = (int) outputBuffer.get(JAVA_LONG, POSITION);
    taken = 0;
    return true;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      zstd.free(stream);
      arena.close();
      in.close();
    }
  }
}
