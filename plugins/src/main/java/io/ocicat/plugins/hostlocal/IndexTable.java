package io.ocicat.plugins.hostlocal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.ocicat.plugins.hostlocal.IndexFile.Change;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A hash table in a file that maps owners to the files of a directory.
 *
 * <p>Rows of 64 bytes, found by the hash of the owner and from there on to the first that was never
 * used, as a line of text each:
 *
 * <pre>
 * 9ae16a3b2f90404f 10.8.0.23        a file is there, with the hash of its content
 * -                                 here was one; who looks for another goes on
 * (zeros)                           never used
 * </pre>
 *
 * <p>At most half of the rows are used, so finding an owner takes one read, mostly. A row removed
 * before one that was never used becomes that itself: coming and going alone never fills the table.
 *
 * <p>Not thread-safe; belongs to the {@link IndexFile}, which decides whether it is valid.
 */
final class IndexTable {
  private static final int ROW = 64;
  private static final int HASH = 16;
  private static final int LONGEST_NAME = ROW - HASH - 2;
  private static final int ROWS_AT_ONCE = 8;
  private static final int LARGEST = 1 << 22;
  private static final char UNUSED = 0;
  private static final char REMOVED = '-';

  private final FileChannel channel;
  private final long start;
  private final int capacity;
  private int live;
  private int filled;

  private IndexTable(FileChannel channel, long start, int capacity, int live, int filled) {
    this.channel = channel;
    this.start = start;
    this.capacity = capacity;
    this.live = live;
    this.filled = filled;
  }

  /**
   * An existing table.
   *
   * @param filled how many rows are not unused
   * @throws IllegalArgumentException when it cannot be one
   */
  static IndexTable at(FileChannel channel, long start, int capacity, int live, int filled)
      throws IOException {
    if (Integer.bitCount(capacity) != 1
        || capacity < ROWS_AT_ONCE
        || capacity > LARGEST
        || live < 0
        || live > filled
        || filled > capacity / 2
        || channel.size() != start + (long) capacity * ROW) {
      throw new IllegalArgumentException("not a table");
    }
    return new IndexTable(channel, start, capacity, live, filled);
  }

  /** A new table, with room for twice as many before it has to be rebuilt. */
  static IndexTable create(FileChannel channel, long start, LeaseIndex index) throws IOException {
    int capacity = Integer.highestOneBit(Math.max(ROWS_AT_ONCE, index.size())) * 8;
    if (capacity > LARGEST) {
      throw new IllegalArgumentException("more leases than are worth an index");
    }
    byte[][] rows = new byte[capacity][];
    index.forEach(
        (owner, name) -> {
          int row = home(owner, capacity);
          while (rows[row] != null) {
            row = (row + 1) % capacity;
          }
          rows[row] = row(owner, name).getBytes(ISO_8859_1);
        });
    ByteBuffer all = ByteBuffer.allocate(capacity * ROW);
    for (int i = 0; i < capacity; i++) {
      if (rows[i] != null) {
        all.put(i * ROW, rows[i]);
      }
    }
    write(channel, start, all);
    return new IndexTable(channel, start, capacity, index.size(), index.size());
  }

  int capacity() {
    return capacity;
  }

  /** How many files it contains. */
  int live() {
    return live;
  }

  int filled() {
    return filled;
  }

  boolean hasRoomFor(List<Change> changes) {
    return filled + changes.size() <= capacity / 2;
  }

  /** Files whose content may be that of the owner. */
  List<String> files(long owner) throws IOException {
    String hash = hash(owner);
    List<String> names = new ArrayList<>();
    Walk walk = new Walk(owner);
    for (String row = walk.next(); row.charAt(0) != UNUSED; row = walk.next()) {
      if (row.startsWith(hash)) {
        names.add(name(row));
      }
    }
    return names;
  }

  LeaseIndex load() throws IOException {
    String text = read(channel, start, capacity * ROW);
    LeaseIndex index = new LeaseIndex();
    for (int at = 0; at < text.length(); at += ROW) {
      char kind = text.charAt(at);
      if (kind != UNUSED && kind != REMOVED) {
        index.add(
            HexFormat.fromHexDigitsToLong(text, at, at + HASH), name(text.substring(at, at + ROW)));
      }
    }
    return index;
  }

  void apply(List<Change> changes) throws IOException {
    for (Change change : changes) {
      String row = row(change.owner(), change.name());
      if (change.added()) {
        add(change.owner(), row);
      } else {
        remove(change.owner(), row);
      }
    }
  }

  private void add(long owner, String row) throws IOException {
    Walk walk = new Walk(owner);
    int free = -1;
    String found = walk.next();
    while (found.charAt(0) != UNUSED) {
      if (found.equals(row)) {
        return;
      }
      if (free < 0 && found.charAt(0) == REMOVED) {
        free = walk.position();
      }
      found = walk.next();
    }
    if (free < 0) {
      free = walk.position();
      filled++;
    }
    put(free, row);
    live++;
  }

  private void remove(long owner, String row) throws IOException {
    Walk walk = new Walk(owner);
    for (String found = walk.next(); found.charAt(0) != UNUSED; found = walk.next()) {
      if (found.equals(row)) {
        int position = walk.position();
        boolean last = walk.next().charAt(0) == UNUSED;
        put(position, last ? String.valueOf(UNUSED) : REMOVED + " ".repeat(ROW - 2) + "\n");
        filled -= last ? 1 : 0;
        live--;
        return;
      }
    }
  }

  private void put(int position, String row) throws IOException {
    write(channel, start + (long) position * ROW, row);
  }

  /** Iterates from the owner's first possible row; ends even if no row is unused. */
  private final class Walk {
    private final int home;
    private int count;
    private String rows = "";
    private int at;

    Walk(long owner) {
      home = home(owner, capacity);
    }

    String next() throws IOException {
      if (count == capacity) {
        throw new IOException("an index without a free row");
      }
      if (at == rows.length()) {
        int first = (home + count) % capacity;
        int many = Math.min(ROWS_AT_ONCE, capacity - first);
        rows = read(channel, start + (long) first * ROW, many * ROW);
        at = 0;
      }
      count++;
      at += ROW;
      return rows.substring(at - ROW, at);
    }

    /** Of the row that was read last. */
    int position() {
      return (home + count - 1) % capacity;
    }
  }

  private static int home(long owner, int capacity) {
    return (int) (owner ^ (owner >>> 32)) & (capacity - 1);
  }

  private static String hash(long owner) {
    return HexFormat.of().toHexDigits(owner);
  }

  private static String row(long owner, String name) {
    if (name.length() > LONGEST_NAME) {
      throw new IllegalArgumentException("the name is too long for an index: " + name);
    }
    return hash(owner) + " " + name + " ".repeat(LONGEST_NAME - name.length()) + "\n";
  }

  private static String name(String row) {
    return row.substring(HASH + 1).strip();
  }

  static String read(FileChannel channel, long position, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, position + bytes.position()) < 0) {
        throw new IOException("an index that breaks off");
      }
    }
    return new String(bytes.array(), ISO_8859_1);
  }

  static void write(FileChannel channel, long position, String text) throws IOException {
    write(channel, position, ByteBuffer.wrap(text.getBytes(ISO_8859_1)));
  }

  private static void write(FileChannel channel, long position, ByteBuffer bytes)
      throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes, position + bytes.position());
    }
  }
}
