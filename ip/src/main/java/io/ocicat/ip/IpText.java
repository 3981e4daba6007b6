package io.ocicat.ip;

import java.util.Arrays;

/**
 * Parses and prints addresses: dotted quads without leading zeros, IPv6 by RFC 4291 §2.2 (embedded
 * IPv4 included), printed by RFC 5952.
 */
final class IpText {
  private static final String WHAT = "an IP address";
  private static final int GROUPS = 8;

  private IpText() {}

  static IpAddress parse(String text) {
    if (text.isEmpty()) {
      throw Parsing.refuse(text, WHAT, "it is empty");
    }
    if (text.indexOf('%') >= 0) {
      throw Parsing.refuse(text, WHAT, "a zone is not allowed");
    }
    return text.indexOf(':') >= 0
        ? new V6(text).parse()
        : IpAddress.ofV4(parseV4(text, 0, "expected four numbers, as in 10.0.0.1"));
  }

  private static int parseV4(String text, int from, String shape) {
    int bits = 0;
    int at = from;
    for (int octet = 0; octet < 4; octet++) {
      if (octet > 0) {
        if (at >= text.length() || text.charAt(at) != '.') {
          throw Parsing.refuse(text, WHAT, shape);
        }
        at++;
      }
      int start = at;
      int value = 0;
      while (at < text.length() && Parsing.isDigit(text.charAt(at))) {
        value = value * 10 + (text.charAt(at) - '0');
        at++;
        if (value > 255) {
          throw Parsing.refuse(text, WHAT, "each number must be 0–255");
        }
        if (at - start > 1 && text.charAt(start) == '0') {
          throw Parsing.refuse(text, WHAT, "a number must not start with 0");
        }
      }
      if (at == start) {
        throw Parsing.refuse(text, WHAT, shape);
      }
      bits = bits << 8 | value;
    }
    if (at != text.length()) {
      throw Parsing.refuse(text, WHAT, shape);
    }
    return bits;
  }

  /** One pass over the text; the groups after "::" move to the end afterwards. */
  private static final class V6 {
    private final String text;
    private final int[] groups = new int[GROUPS];
    private int count;
    private int gap = -1;
    private int at;

    V6(String text) {
      this.text = text;
    }

    IpAddress parse() {
      if (text.startsWith("::")) {
        gap = 0;
        at = 2;
      }
      while (at < text.length()) {
        readGroup();
      }
      if (gap < 0 && count != GROUPS) {
        throw Parsing.refuse(text, WHAT, "expected eight groups or \"::\"");
      }
      if (gap >= 0) {
        if (count == GROUPS) {
          throw Parsing.refuse(text, WHAT, "\"::\" must stand for at least one group");
        }
        int moved = count - gap;
        System.arraycopy(groups, gap, groups, GROUPS - moved, moved);
        Arrays.fill(groups, gap, GROUPS - moved, 0);
      }
      return IpAddress.ofV6(word(0), word(4));
    }

    private void readGroup() {
      int start = at;
      int value = 0;
      while (at < text.length() && Parsing.hexDigit(text.charAt(at)) >= 0) {
        value = value << 4 | Parsing.hexDigit(text.charAt(at));
        at++;
        if (at - start > 4) {
          throw Parsing.refuse(text, WHAT, "a group has at most four digits");
        }
      }
      if (at < text.length() && text.charAt(at) == '.') {
        int v4 = parseV4(text, start, "the IPv4 part must be four numbers at the end");
        add(v4 >>> 16);
        add(v4 & 0xffff);
        at = text.length();
        return;
      }
      if (at == start) {
        throw Parsing.refuse(text, WHAT, "expected groups of hexadecimal digits between colons");
      }
      add(value);
      if (at < text.length()) {
        readColon();
      }
    }

    private void readColon() {
      if (text.charAt(at) != ':') {
        throw Parsing.refuse(text, WHAT, "expected groups of hexadecimal digits between colons");
      }
      at++;
      if (at == text.length()) {
        throw Parsing.refuse(text, WHAT, "it ends with a single colon");
      }
      if (text.charAt(at) == ':') {
        if (gap >= 0) {
          throw Parsing.refuse(text, WHAT, "\"::\" may appear only once");
        }
        gap = count;
        at++;
      }
    }

    private void add(int group) {
      if (count == GROUPS) {
        throw Parsing.refuse(text, WHAT, "more than eight groups");
      }
      groups[count++] = group;
    }

    private long word(int from) {
      return (long) groups[from] << 48
          | (long) groups[from + 1] << 32
          | (long) groups[from + 2] << 16
          | groups[from + 3];
    }
  }

  static String print(IpAddress address) {
    StringBuilder out = new StringBuilder(39);
    if (address.isV4()) {
      appendV4(out, (int) address.low());
    } else if (address.isV4Mapped()) {
      appendV4(out.append("::ffff:"), (int) address.low());
    } else {
      appendV6(out, address);
    }
    return out.toString();
  }

  private static void appendV4(StringBuilder out, int bits) {
    out.append(bits >>> 24).append('.').append(bits >>> 16 & 0xff).append('.');
    out.append(bits >>> 8 & 0xff).append('.').append(bits & 0xff);
  }

  /**
   * RFC 5952 §4.2: the longest run of zero groups is shortened, the first of equals, never a single
   * one.
   */
  private static void appendV6(StringBuilder out, IpAddress address) {
    int bestStart = -1;
    int bestLength = 1;
    for (int i = 0; i < GROUPS; i++) {
      int run = 0;
      while (i + run < GROUPS && group(address, i + run) == 0) {
        run++;
      }
      if (run > bestLength) {
        bestStart = i;
        bestLength = run;
      }
      i += run;
    }
    for (int i = 0; i < GROUPS; ) {
      if (i == bestStart) {
        out.append("::");
        i += bestLength;
      } else {
        if (i > 0 && i != bestStart + bestLength) {
          out.append(':');
        }
        out.append(Integer.toHexString(group(address, i)));
        i++;
      }
    }
  }

  private static int group(IpAddress address, int index) {
    long word = index < 4 ? address.high() : address.low();
    return (int) (word >>> (48 - 16 * (index & 3))) & 0xffff;
  }
}
