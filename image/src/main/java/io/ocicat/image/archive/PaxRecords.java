package io.ocicat.image.archive;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.ocicat.image.files.RawName;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Extended headers (POSIX.1-2001): lines of {@code <length> <key>=<value>}, which replace or add to
 * what the fixed header says. Values are bytes.
 */
record PaxRecords(Map<String, byte[]> values) {
  static final PaxRecords NONE = new PaxRecords(Map.of());

  private static final String ATTRIBUTE = "SCHILY.xattr.";
  private static final int LONGEST_LENGTH = 8;

  static PaxRecords parse(byte[] bytes) throws ArchiveException {
    Map<String, byte[]> values = new LinkedHashMap<>();
    int at = 0;
    while (at < bytes.length) {
      int blank = at;
      int length = 0;
      while (blank < bytes.length && bytes[blank] >= '0' && bytes[blank] <= '9') {
        length = length * 10 + (bytes[blank] - '0');
        blank++;
        if (blank - at > LONGEST_LENGTH) {
          throw malformed();
        }
      }
      int end = at + length;
      if (blank == at
          || blank >= bytes.length
          || bytes[blank] != ' '
          || end > bytes.length
          || end <= blank + 1
          || bytes[end - 1] != '\n') {
        throw malformed();
      }
      int equals = blank + 1;
      while (equals < end && bytes[equals] != '=') {
        equals++;
      }
      if (equals >= end - 1 && (equals >= end || bytes[equals] != '=')) {
        throw malformed();
      }
      String key = new String(bytes, blank + 1, equals - blank - 1, ISO_8859_1);
      values.put(key, Arrays.copyOfRange(bytes, equals + 1, end - 1));
      at = end;
    }
    return new PaxRecords(values);
  }

  private static ArchiveException malformed() {
    return new ArchiveException("an extended header is malformed");
  }

  /** A name, which must not contain the byte 0: readers would disagree on where it ends. */
  String name(String key, String otherwise) throws ArchiveException {
    byte[] value = values.get(key);
    if (value == null || value.length == 0) {
      return otherwise;
    }
    String name = RawName.of(value);
    if (name.indexOf(0) >= 0) {
      throw new ArchiveException(
          "an extended header's %s contains a zero byte: %s".formatted(key, RawName.quoted(name)));
    }
    return name;
  }

  long number(String key, long otherwise) throws ArchiveException {
    byte[] value = values.get(key);
    if (value == null || value.length == 0) {
      return otherwise;
    }
    try {
      return Long.parseLong(RawName.of(value));
    } catch (NumberFormatException e) {
      throw new ArchiveException(
          "an extended header's %s is not a number: %s"
              .formatted(key, RawName.quoted(RawName.of(value))),
          e);
    }
  }

  /** Seconds and nanoseconds since 1970. */
  long[] time(String key, long otherwise) throws ArchiveException {
    byte[] value = values.get(key);
    if (value == null || value.length == 0) {
      return new long[] {otherwise, 0};
    }
    String text = RawName.of(value);
    if (!text.matches("-?[0-9]{1,18}(\\.[0-9]*)?")) {
      throw new ArchiveException(
          "an extended header's %s is not a time: %s".formatted(key, RawName.quoted(text)));
    }
    int point = text.indexOf('.');
    long seconds = Long.parseLong(point < 0 ? text : text.substring(0, point));
    String fraction = point < 0 ? "" : text.substring(point + 1);
    long nanos = Long.parseLong((fraction + "000000000").substring(0, 9));
    return text.startsWith("-") && nanos > 0
        ? new long[] {seconds - 1, 1_000_000_000 - nanos}
        : new long[] {seconds, nanos};
  }

  Map<String, byte[]> attributes() {
    Map<String, byte[]> found = new LinkedHashMap<>();
    values.forEach(
        (key, value) -> {
          if (key.startsWith(ATTRIBUTE)) {
            found.put(key.substring(ATTRIBUTE.length()), value);
          }
        });
    return found;
  }

  boolean isSparse() {
    return values.keySet().stream().anyMatch(key -> key.startsWith("GNU.sparse."));
  }
}
