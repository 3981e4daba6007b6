package io.ocicat.image.archive;

import io.ocicat.image.files.RawName;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a tar archive from a stream, one entry after the other: ustar, GNU long names and binary
 * numbers, POSIX extended headers. Bounded in bytes, entries and the size of headers, and strict: a
 * header that two readers might understand differently is refused.
 *
 * <p>Sparse files are refused by name: no builder of images writes them.
 *
 * <p>Not thread-safe. Does not close the stream.
 */
public final class TarReader {
  private final InputStream in;
  private final ArchiveLimits limits;
  private long entries;
  private long position;
  private long remaining;
  private int padding;

  public TarReader(InputStream in, ArchiveLimits limits) {
    this.in = in;
    this.limits = limits;
  }

  /** The next entry; what is left of the one before is skipped. Null at the end. */
  public @Nullable TarEntry next() throws IOException {
    PaxRecords pax = PaxRecords.NONE;
    String longName = "";
    String longLink = "";
    while (true) {
      skipRest();
      TarHeader header = readHeader();
      if (header == null) {
        return null;
      }
      if (++entries > limits.entries()) {
        throw new ArchiveException(
            "it has more than the allowed %d entries".formatted(limits.entries()));
      }
      switch (header.type()) {
        case 'x' -> pax = PaxRecords.parse(readSpecial(header));
        case 'g' -> PaxRecords.parse(readSpecial(header));
        case 'L' -> longName = gnuName(readSpecial(header));
        case 'K' -> longLink = gnuName(readSpecial(header));
        default -> {
          return entry(header, pax, longName, longLink);
        }
      }
    }
  }

  private TarEntry entry(TarHeader header, PaxRecords pax, String longName, String longLink)
      throws IOException {
    String name = pax.name("path", longName.isEmpty() ? header.name() : longName);
    if (pax.isSparse() || header.type() == 'S') {
      throw new ArchiveException(
          RawName.quoted(name) + " is stored as a sparse file, which is not supported");
    }
    TarEntry.Type type = type(header.type(), name);
    long size = pax.number("size", header.size());
    if (size < 0) {
      throw new ArchiveException(RawName.quoted(name) + " has a negative size");
    }
    // Links and directories have no content, whatever the field says.
    size = type == TarEntry.Type.REGULAR ? size : 0;
    expect(size);
    long[] modified = pax.time("mtime", header.modified());
    return new TarEntry(
        name,
        type,
        header.permissions(),
        id(pax.number("uid", header.uid()), name),
        id(pax.number("gid", header.gid()), name),
        size,
        modified[0],
        (int) modified[1],
        pax.name("linkpath", longLink.isEmpty() ? header.linkName() : longLink),
        header.deviceMajor(),
        header.deviceMinor(),
        pax.attributes());
  }

  private static TarEntry.Type type(char flag, String name) throws ArchiveException {
    return switch (flag) {
      // Before POSIX, a directory was a file whose name ends with a slash.
      case '0', 0, '7' -> name.endsWith("/") ? TarEntry.Type.DIRECTORY : TarEntry.Type.REGULAR;
      case '1' -> TarEntry.Type.HARD_LINK;
      case '2' -> TarEntry.Type.SYMLINK;
      case '3' -> TarEntry.Type.CHARACTER_DEVICE;
      case '4' -> TarEntry.Type.BLOCK_DEVICE;
      case '5' -> TarEntry.Type.DIRECTORY;
      case '6' -> TarEntry.Type.FIFO;
      default ->
          throw new ArchiveException(
              "%s has the type %s, which is not supported"
                  .formatted(RawName.quoted(name), RawName.quoted(String.valueOf(flag))));
    };
  }

  /** The last id of 32 bits means none to the kernel. */
  private static int id(long id, String name) throws ArchiveException {
    if (id < 0 || id >= 0xffff_ffffL) {
      throw new ArchiveException(
          "%s has an owner out of range: %d".formatted(RawName.quoted(name), id));
    }
    return (int) id;
  }

  private static String gnuName(byte[] bytes) {
    int end = 0;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    return RawName.of(bytes, 0, end);
  }

  private byte[] readSpecial(TarHeader header) throws IOException {
    long size = header.size();
    if (size < 0 || size > limits.header()) {
      throw new ArchiveException(
          "an extended header has %d bytes, at most %d are allowed"
              .formatted(size, limits.header()));
    }
    expect(size);
    byte[] bytes = new byte[(int) size];
    int done = 0;
    while (done < bytes.length) {
      int count = read(bytes, done, bytes.length - done);
      if (count < 0) {
        throw truncated();
      }
      done += count;
    }
    return bytes;
  }

  private void expect(long size) throws ArchiveException {
    if (size > limits.bytes() - position) {
      throw tooLarge();
    }
    remaining = size;
    padding = (int) (-size & (TarHeader.SIZE - 1));
  }

  /** Reads content of the current entry; -1 at its end. */
  public int read(byte[] buffer, int from, int length) throws IOException {
    if (remaining == 0) {
      return -1;
    }
    int count = in.read(buffer, from, (int) Math.min(length, remaining));
    if (count < 0) {
      throw truncated();
    }
    remaining -= count;
    count(count);
    return count;
  }

  /** Where the content of the current entry begins or continues, in bytes from the start. */
  public long position() {
    return position;
  }

  private void skipRest() throws IOException {
    long left = remaining + padding;
    while (left > 0) {
      long skipped = in.skip(left);
      if (skipped <= 0) {
        if (in.read() < 0) {
          throw truncated();
        }
        skipped = 1;
      }
      left -= skipped;
      count(skipped);
    }
    remaining = 0;
    padding = 0;
  }

  /** Null at the end: a block of zeros, or the end of the stream, as some writers leave it. */
  private @Nullable TarHeader readHeader() throws IOException {
    byte[] block = new byte[TarHeader.SIZE];
    int length = in.readNBytes(block, 0, TarHeader.SIZE);
    if (length == 0) {
      return null;
    }
    if (length < TarHeader.SIZE) {
      throw truncated();
    }
    count(length);
    TarHeader header = new TarHeader(block);
    if (header.isEmpty()) {
      drain();
      return null;
    }
    header.verify();
    return header;
  }

  /** What follows the end is part of the digest; only zeros are expected. */
  private void drain() throws IOException {
    byte[] buffer = new byte[8 << 10];
    int length;
    while ((length = in.read(buffer)) >= 0) {
      count(length);
    }
  }

  private void count(long bytes) throws ArchiveException {
    position += bytes;
    if (position > limits.bytes()) {
      throw tooLarge();
    }
  }

  private ArchiveException tooLarge() {
    return new ArchiveException(
        "it expands to more than the allowed %d bytes".formatted(limits.bytes()));
  }

  private static ArchiveException truncated() {
    return new ArchiveException("the archive ends in the middle of an entry");
  }
}
