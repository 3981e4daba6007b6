package io.ocicat.daemon.info;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A request to the info socket.
 *
 * @param path {@code /calls}
 * @param options {@code container=abc&failed}: an option without a value has an empty one
 */
public record InfoRequest(String path, Map<String, String> options) {
  static final int MAX_BYTES = 8 << 10;

  public InfoRequest {
    options = Map.copyOf(options);
  }

  /** Whether the request's head is complete. */
  static boolean isComplete(byte[] bytes, int length) {
    String text = new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    return text.contains("\r\n\r\n") || text.contains("\n\n");
  }

  /**
   * Reads the first line of a request. Nothing else in it matters.
   *
   * @throws InfoReply.Refused when it is not a GET
   */
  static InfoRequest parse(byte[] bytes, int length) {
    String text = new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    String line = text.lines().findFirst().orElse("");
    String[] words = line.split(" ", -1);
    if (words.length != 3 || !words[2].startsWith("HTTP/1.")) {
      throw new InfoReply.Refused(400, "this is no HTTP/1 request");
    }
    if (!words[0].equals("GET")) {
      throw new InfoReply.Refused(405, "only GET is supported: nothing can be changed here");
    }
    return of(words[1]);
  }

  static InfoRequest of(String target) {
    int mark = target.indexOf('?');
    Map<String, String> options = new LinkedHashMap<>();
    try {
      if (mark >= 0) {
        for (String option : target.substring(mark + 1).split("&", -1)) {
          int equals = option.indexOf('=');
          String name = equals < 0 ? option : option.substring(0, equals);
          String value = equals < 0 ? "" : option.substring(equals + 1);
          options.put(decode(name), decode(value));
        }
      }
    } catch (IllegalArgumentException e) {
      throw new InfoReply.Refused(400, "the query is not URL-encoded: " + e.getMessage());
    }
    return new InfoRequest(mark < 0 ? target : target.substring(0, mark), options);
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  Optional<String> option(String name) {
    return Optional.ofNullable(options.get(name));
  }

  /** The value of an option that is a count. */
  int count(String name, int otherwise) {
    String text = options.getOrDefault(name, "");
    if (text.isEmpty()) {
      return otherwise;
    }
    if (!text.matches("[0-9]{1,6}") || text.matches("0+")) {
      throw new InfoReply.Refused(
          400, "%s=%s: a whole number from 1 on is expected".formatted(name, text));
    }
    return Integer.parseInt(text);
  }
}
