package io.ocicat.cri.streaming;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The first lines of an HTTP/1.1 request, up to the empty one. Upgrades have no body.
 *
 * @param headers all values by the name in lower case, in their order
 */
record HttpHead(String method, String path, Map<String, List<String>> headers) {
  private static final int LONGEST = 16 << 10;

  HttpHead {
    headers = Map.copyOf(headers);
  }

  /** Reads no byte more than that. */
  static HttpHead read(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int matched = 0;
    while (matched < 4) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("the connection ended within the request");
      }
      if (bytes.size() >= LONGEST) {
        throw new IOException("the request's head is longer than " + LONGEST + " bytes");
      }
      bytes.write(next);
      matched = next == "\r\n\r\n".charAt(matched) ? matched + 1 : next == '\r' ? 1 : 0;
    }
    String[] lines = bytes.toString(StandardCharsets.ISO_8859_1).split("\r\n", -1);
    String[] first = lines[0].split(" ", -1);
    if (first.length != 3 || !first[2].startsWith("HTTP/1.")) {
      throw new IOException("this is not an HTTP/1.1 request");
    }
    Map<String, List<String>> headers = new TreeMap<>();
    for (int i = 1; i < lines.length && !lines[i].isEmpty(); i++) {
      int colon = lines[i].indexOf(':');
      if (colon < 1) {
        throw new IOException("a header has no name");
      }
      headers
          .computeIfAbsent(
              lines[i].substring(0, colon).strip().toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
          .add(lines[i].substring(colon + 1).strip());
    }
    return new HttpHead(first[0], first[1], headers);
  }

  /** The first value; empty when absent. */
  String header(String name) {
    return headers.getOrDefault(name, List.of("")).getFirst();
  }

  /** The elements of a list, whether it came as one header or as many. */
  List<String> elements(String name) {
    return headers.getOrDefault(name, List.of()).stream()
        .flatMap(value -> List.of(value.split(",", -1)).stream())
        .map(String::strip)
        .filter(value -> !value.isEmpty())
        .toList();
  }

  boolean upgradesTo(String protocol) {
    return header("upgrade").equalsIgnoreCase(protocol)
        && elements("connection").stream().anyMatch("upgrade"::equalsIgnoreCase);
  }
}
