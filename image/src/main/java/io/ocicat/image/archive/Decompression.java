package io.ocicat.image.archive;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Finds out how a stream is compressed by its first bytes. Media types are not asked: they are
 * wrong in practice, and archives on disk have none.
 */
public enum Decompression {
  NONE,
  GZIP,
  ZSTD;

  private static final int BUFFER = 64 << 10;

  /** By the first four bytes, or fewer if there are no more. */
  public static Decompression of(byte[] start) {
    if (start.length >= 2 && (start[0] & 0xff) == 0x1f && (start[1] & 0xff) == 0x8b) {
      return GZIP;
    }
    if (start.length >= 4
        && (start[0] & 0xff) == 0x28
        && (start[1] & 0xff) == 0xb5
        && (start[2] & 0xff) == 0x2f
        && (start[3] & 0xff) == 0xfd) {
      return ZSTD;
    }
    return NONE;
  }

  /** The content of a stream, decompressed if it needs to be. Closing it closes the stream. */
  public static InputStream open(InputStream in) throws IOException {
    BufferedInputStream buffered = new WholeInput(in);
    buffered.mark(4);
    byte[] start = buffered.readNBytes(4);
    buffered.reset();
    return switch (of(start)) {
      case NONE -> buffered;
      case GZIP -> new Gzip(buffered);
      case ZSTD -> new ZstdInputStream(buffered);
    };
  }

  /**
   * Says truthfully whether more follows. {@link GZIPInputStream} looks for another member only if
   * something is available, and layers of several members are common.
   */
  private static final class WholeInput extends BufferedInputStream {
    WholeInput(InputStream in) {
      super(in, BUFFER);
    }

    @Override
    public synchronized int available() throws IOException {
      int known = count - pos;
      if (known > 0) {
        return known;
      }
      mark(1);
      int next = read();
      if (next < 0) {
        return 0;
      }
      reset();
      return 1;
    }
  }

  /** Names what is wrong. */
  private static final class Gzip extends GZIPInputStream {
    Gzip(InputStream in) throws IOException {
      super(in, BUFFER);
    }

    @Override
    public int read(byte[] buffer, int from, int length) throws IOException {
      try {
        return super.read(buffer, from, length);
      } catch (ZipException | EOFException e) {
        throw new ArchiveException("damaged gzip: " + e.getMessage(), e);
      }
    }
  }
}
