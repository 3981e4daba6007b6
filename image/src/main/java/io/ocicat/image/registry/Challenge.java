package io.ocicat.image.registry;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server wants to see (RFC 9110, section 11.6.1).
 *
 * @param scheme in lower case: bearer, basic
 */
record Challenge(String scheme, Map<String, String> parameters) {
  private static final Pattern TOKEN =
      Pattern.compile(
          "\\G[\\s,]*(?:([A-Za-z0-9!#$%&'*+.^_`|~-]+)\\s*=\\s*"
              + "(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^\\s,\"]+))|([A-Za-z0-9-]+)(?=\\s|,|$))");

  Challenge {
    parameters = Map.copyOf(parameters);
  }

  /** All challenges of some headers; what cannot be read is left out. */
  static List<Challenge> parse(List<String> headers) {
    List<Challenge> challenges = new ArrayList<>();
    for (String header : headers) {
      String scheme = "";
      Map<String, String> parameters = new TreeMap<>();
      Matcher token = TOKEN.matcher(header);
      while (token.find()) {
        if (token.group(4) != null) {
          if (!scheme.isEmpty()) {
            challenges.add(new Challenge(scheme, parameters));
          }
          scheme = token.group(4).toLowerCase(Locale.ROOT);
          parameters = new TreeMap<>();
        } else {
          String value =
              token.group(2) == null ? token.group(3) : token.group(2).replaceAll("\\\\(.)", "$1");
          parameters.put(token.group(1).toLowerCase(Locale.ROOT), value);
        }
      }
      if (!scheme.isEmpty()) {
        challenges.add(new Challenge(scheme, parameters));
      }
    }
    return challenges;
  }

  String parameter(String name) {
    return parameters.getOrDefault(name, "");
  }
}
