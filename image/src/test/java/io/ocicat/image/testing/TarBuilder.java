package io.ocicat.image.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes tar archives, also such as no program would write. */
public final class TarBuilder {
  private static final int BLOCK = 512;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final Map<String, String> pax = new LinkedHashMap<>();
  private int uid;
  private int gid;
  private int mode = -1;
  private long modified = 1_700_000_000;

  /** The next entry has this extended header. */
  public TarBuilder pax(String key, String value) {
    pax.put(key, value);
    return this;
  }

  /** The next entries belong to them. */
  public TarBuilder owner(int newUid, int newGid) {
    uid = newUid;
    gid = newGid;
    return this;
  }

  /** The next entry has these permissions. */
  public TarBuilder mode(int permissions) {
    mode = permissions;
    return this;
  }

  public TarBuilder modified(long seconds) {
    modified = seconds;
    return this;
  }

  public TarBuilder file(String name, String content) {
    return file(name, content.getBytes(UTF_8));
  }

  public TarBuilder file(String name, byte[] content) {
    entry('0', name, content.length, 0644, "", 0, 0);
    return data(content);
  }

  public TarBuilder directory(String name) {
    return entry('5', name, 0, 0755, "", 0, 0);
  }

  public TarBuilder symlink(String name, String target) {
    return entry('2', name, 0, 0777, target, 0, 0);
  }

  public TarBuilder link(String name, String target) {
    return entry('1', name, 0, 0644, target, 0, 0);
  }

  public TarBuilder device(char type, String name, int major, int minor) {
    return entry(type, name, 0, 0600, "", major, minor);
  }

  /** Announces more or less than follows. */
  public TarBuilder header(char type, String name, long size) {
    return entry(type, name, size, 0644, "", 0, 0);
  }

  public TarBuilder data(byte[] content) {
    out.writeBytes(content);
    out.writeBytes(new byte[-content.length & (BLOCK - 1)]);
    return this;
  }

  private TarBuilder entry(
      char type, String name, long size, int permissions, String link, int major, int minor) {
    if (!pax.isEmpty()) {
      ByteArrayOutputStream records = new ByteArrayOutputStream();
      pax.forEach((key, value) -> records.writeBytes(record(key, value)));
      pax.clear();
      block('x', "PaxHeader", records.size(), 0644, "", 0, 0);
      data(records.toByteArray());
    }
    block(type, name, size, mode >= 0 ? mode : permissions, link, major, minor);
    mode = -1;
    return this;
  }

  private static byte[] record(String key, String value) {
    byte[] text = (" " + key + "=" + value + "\n").getBytes(UTF_8);
    int length = text.length + 1;
    while (Integer.toString(length).length() + text.length != length) {
      length++;
    }
    ByteArrayOutputStream record = new ByteArrayOutputStream();
    record.writeBytes(Integer.toString(length).getBytes(UTF_8));
    record.writeBytes(text);
    return record.toByteArray();
  }

  private void block(
      char type, String name, long size, int permissions, String link, int major, int minor) {
    byte[] block = new byte[BLOCK];
    put(block, 0, 100, name);
    put(block, 100, 8, "%07o".formatted(permissions));
    put(block, 108, 8, "%07o".formatted(uid));
    put(block, 116, 8, "%07o".formatted(gid));
    put(block, 124, 12, "%011o".formatted(size));
    put(block, 136, 12, "%011o".formatted(modified));
    Arrays.fill(block, 148, 156, (byte) ' ');
    block[156] = (byte) type;
    put(block, 157, 100, link);
    put(block, 257, 6, "ustar");
    put(block, 263, 2, "00");
    put(block, 329, 8, "%07o".formatted(major));
    put(block, 337, 8, "%07o".formatted(minor));
    int sum = 0;
    for (byte b : block) {
      sum += Byte.toUnsignedInt(b);
    }
    put(block, 148, 7, "%06o".formatted(sum));
    out.writeBytes(block);
  }

  private static void put(byte[] block, int at, int length, String text) {
    byte[] bytes = text.getBytes(UTF_8);
    System.arraycopy(bytes, 0, block, at, Math.min(length, bytes.length));
  }

  /** With the two empty blocks that end an archive. */
  public byte[] build() {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    whole.writeBytes(out.toByteArray());
    whole.writeBytes(new byte[2 * BLOCK]);
    return whole.toByteArray();
  }

  /** Without them. */
  public byte[] buildOpen() {
    return out.toByteArray();
  }
}
