package io.ocicat.image.unpack;

import io.ocicat.image.files.Directory;
import io.ocicat.image.files.FileStatus;
import io.ocicat.image.files.OpenFile;
import io.ocicat.image.files.RawName;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import java.io.IOException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Describes every file of a layer as a line, in the order of names: what was unpacked, to be
 * compared with what is there later. It finds what power failures and failing disks do, such as
 * files that are empty where they had content. It does not protect from whoever may write to the
 * store, so a checksum does, which costs a tenth of a hash.
 *
 * <p>A line has type and permissions, owner, size or device, time, checksum or target, and the path
 * with unusual bytes escaped.
 */
public final class LayerListing {
  private static final HexFormat HEX = HexFormat.of();

  private final Output output;
  private final byte[] buffer = new byte[128 << 10];
  private final Set<Long> counted = new HashSet<>();
  private long bytes;
  private long inodes;

  /** Takes the lines. */
  @FunctionalInterface
  public interface Output {
    void line(String line) throws IOException;
  }

  /** What a layer occupies on disk. */
  public record Total(long bytes, long inodes) {}

  private LayerListing(Output output) {
    this.output = output;
  }

  /** Lists all below {@code root}, and {@code root} itself. */
  public static Total list(Directory root, Output output) throws IOException {
    LayerListing listing = new LayerListing(output);
    listing.list(root, "", root.status(), root, "");
    return new Total(listing.bytes, listing.inodes);
  }

  private void list(Directory parent, String name, FileStatus status, Directory self, String path)
      throws IOException {
    count(status);
    output.line(line(parent, name, status, path));
    if (!status.isDirectory()) {
      return;
    }
    for (String child : self.names()) {
      FileStatus found = self.status(child).orElse(null);
      if (found == null) {
        continue;
      }
      String below = path + "/" + child;
      if (found.isDirectory()) {
        try (Directory directory = self.child(child)) {
          list(self, child, found, directory, below);
        }
      } else {
        list(self, child, found, self, below);
      }
    }
  }

  private void count(FileStatus status) {
    if (status.links() > 1 && !status.isDirectory() && !counted.add(status.inode())) {
      return;
    }
    bytes += status.blocks() * 512;
    inodes++;
  }

  private String line(Directory parent, String name, FileStatus status, String path) {
    String content =
        switch (status.type()) {
          case FileStatus.REGULAR -> status.size() + " " + checksum(parent, name);
          case FileStatus.SYMLINK -> "- " + escaped(parent.readLink(name));
          case FileStatus.CHARACTER_DEVICE, FileStatus.BLOCK_DEVICE ->
              status.deviceMajor() + ":" + status.deviceMinor() + " -";
          default -> "- -";
        };
    return "%o %d:%d %s %d.%09d%s %s"
        .formatted(
            status.mode(),
            Integer.toUnsignedLong(status.uid()),
            Integer.toUnsignedLong(status.gid()),
            content,
            status.modifiedSeconds(),
            status.modifiedNanos(),
            attributes(parent, name),
            path.isEmpty() ? "/" : escaped(path));
  }

  private String attributes(Directory parent, String name) {
    StringBuilder text = new StringBuilder();
    for (String key : parent.attributes(name)) {
      parent
          .attribute(name, key)
          .ifPresent(
              value ->
                  text.append(' ').append(escaped(key)).append('=').append(HEX.formatHex(value)));
    }
    return text.toString();
  }

  private String checksum(Directory parent, String name) {
    CRC32C sum = new CRC32C();
    try (OpenFile file = parent.read(name)) {
      int length;
      while ((length = file.read(buffer)) > 0) {
        sum.update(buffer, 0, length);
      }
    } catch (NetlinkException e) {
      if (!e.is(new Errno(5))) {
        throw e;
      }
      return "unreadable";
    }
    return Long.toHexString(sum.getValue());
  }

  private static String escaped(String rawName) {
    StringBuilder text = new StringBuilder(rawName.length());
    for (int i = 0; i < rawName.length(); i++) {
      char c = rawName.charAt(i);
      if (c > ' ' && c < 0x7f && c != '%') {
        text.append(c);
      } else {
        text.append('%').append(HEX.toHexDigits((byte) c));
      }
    }
    return text.toString();
  }

  /** The path at the end of a line, as text. */
  public static String path(String line) {
    String escaped = line.substring(line.lastIndexOf(' ') + 1);
    StringBuilder raw = new StringBuilder();
    for (int i = 0; i < escaped.length(); i++) {
      char c = escaped.charAt(i);
      if (c == '%' && i + 2 < escaped.length()) {
        raw.append((char) HexFormat.fromHexDigits(escaped, i + 1, i + 3));
        i += 2;
      } else {
        raw.append(c);
      }
    }
    return RawName.text(raw.toString());
  }
}
