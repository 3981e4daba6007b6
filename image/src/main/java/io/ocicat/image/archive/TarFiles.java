package io.ocicat.image.archive;

import io.ocicat.image.files.RawName;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The files of a tar that is not compressed, read in any order. Docker's old archives have links
 * from one layer to another; they are followed within the archive. Thread-safe once opened.
 */
public final class TarFiles implements ArchiveFiles {
  private static final int MOST_LINKS = 10;

  private final FileChannel channel;
  private final Map<String, Region> regions = new HashMap<>();
  private final Map<String, String> links = new HashMap<>();

  /** A part of the file. */
  private final class Region implements Content {
    private final long start;
    private final long size;

    Region(long start, long size) {
      this.start = start;
      this.size = size;
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public InputStream open() {
      return new BufferedInputStream(new RegionStream(channel, start, start + size), 64 << 10);
    }
  }

  private TarFiles(FileChannel channel) {
    this.channel = channel;
  }

  /** Reads all headers. A name that occurs twice is refused: readers would disagree on it. */
  public static TarFiles open(Path tar, ArchiveLimits limits) throws IOException {
    TarFiles files = new TarFiles(FileChannel.open(tar, StandardOpenOption.READ));
    boolean done = false;
    try {
      files.scan(limits);
      done = true;
      return files;
    } finally {
      if (!done) {
        files.close();
      }
    }
  }

  private void scan(ArchiveLimits limits) throws IOException {
    InputStream in = new RegionStream(channel, 0, channel.size());
    TarReader reader = new TarReader(in, limits);
    for (TarEntry entry = reader.next(); entry != null; entry = reader.next()) {
      String name = normal(entry.name());
      switch (entry.type()) {
        case REGULAR -> {
          if (regions.put(name, new Region(reader.position(), entry.size())) != null) {
            throw new ArchiveException(RawName.quoted(name) + " occurs twice in the archive");
          }
        }
        case SYMLINK -> links.put(name, normal(directory(name) + entry.linkName()));
        case HARD_LINK -> links.put(name, normal(entry.linkName()));
        case DIRECTORY, CHARACTER_DEVICE, BLOCK_DEVICE, FIFO -> {
          // An image is made of files.
        }
      }
    }
  }

  private static String directory(String name) {
    return name.substring(0, name.lastIndexOf('/') + 1);
  }

  /** Without {@code .} and {@code ..}, which have no meaning above the archive's root. */
  private static String normal(String name) {
    Deque<String> parts = new ArrayDeque<>();
    for (String part : name.split("/", -1)) {
      if (part.equals("..")) {
        parts.pollLast();
      } else if (!part.isEmpty() && !part.equals(".")) {
        parts.add(part);
      }
    }
    return String.join("/", parts);
  }

  @Override
  public Optional<Content> find(String name) throws ArchiveException {
    String at = normal(RawName.ofText(name));
    for (int i = 0; i < MOST_LINKS; i++) {
      String target = links.get(at);
      if (target == null) {
        return Optional.ofNullable(regions.get(at));
      }
      at = target;
    }
    throw new ArchiveException("%s is a link that leads nowhere".formatted(RawName.quoted(name)));
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /** Reads a part of a file at positions, so that several readers do not disturb each other. */
  private static final class RegionStream extends InputStream {
    private final FileChannel channel;
    private final long end;
    private long position;

    RegionStream(FileChannel channel, long start, long end) {
      this.channel = channel;
      this.position = start;
      this.end = end;
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
      long left = end - position;
      if (left <= 0) {
        return -1;
      }
      int count =
          channel.read(ByteBuffer.wrap(buffer, from, (int) Math.min(length, left)), position);
      if (count > 0) {
        position += count;
      }
      return count;
    }

    @Override
    public long skip(long bytes) {
      long skipped = Math.clamp(bytes, 0, Math.max(0, end - position));
      position += skipped;
      return skipped;
    }

    @Override
    public int available() {
      return Math.clamp(end - position, 0, Integer.MAX_VALUE);
    }
  }
}
