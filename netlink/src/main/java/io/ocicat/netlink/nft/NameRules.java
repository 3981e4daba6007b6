package io.ocicat.netlink.nft;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.regex.Pattern;

/** Checks names, comments and log prefixes by the rules of the kernel and nft. */
final class NameRules {
  private static final int LONGEST_NAME = 255;

  /** The longest comment nft reads back from its own listing. */
  private static final int LONGEST_COMMENT = 128;

  /**
   * NFT_USERDATA_MAXLEN less a header of two bytes and a terminating zero for each of two texts.
   */
  private static final int LONGEST_NOTES = 250;

  /** The kernel's NF_LOG_PREFIXLEN includes a terminating zero. */
  private static final int LONGEST_LOG_PREFIX = 127;

  private static final Pattern NFT_WORD = Pattern.compile("[A-Za-z_.][A-Za-z0-9/_.-]*");

  private NameRules() {}

  /** The kernel would silently cut a name at a zero byte, and refer to another object. */
  static void refuseZeros(String name) {
    if (name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a text in nf_tables cannot hold a zero character");
    }
  }

  /**
   * Checks the name of something about to be created. The kernel accepts nearly anything; but a
   * name that nft cannot read back makes the machine's whole listing unusable for {@code nft -f}.
   */
  static void check(String kind, String name) {
    if (name.length() > LONGEST_NAME || !NFT_WORD.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "\"%s\" cannot name a %s: 1 to %d letters, digits and / _ . -, the first no digit, / or -"
              .formatted(name, kind, LONGEST_NAME));
    }
  }

  /** A comment nft prints and reads back; empty for none. */
  static String comment(String text) {
    return quotable("comment", text, LONGEST_COMMENT);
  }

  /** The prefix of a line in the kernel's log; empty for none. */
  static String logPrefix(String text) {
    return quotable("log prefix", text, LONGEST_LOG_PREFIX);
  }

  /** A note that fits next to the comment; empty for none. */
  static String note(String text, String comment) {
    int bytes = text.getBytes(UTF_8).length + comment.getBytes(UTF_8).length;
    if (bytes > LONGEST_NOTES) {
      throw new IllegalArgumentException(
          "note \"%s\" and comment have %d bytes, the kernel keeps %d: shorten them"
              .formatted(text, bytes, LONGEST_NOTES));
    }
    refuseZeros(text);
    return text;
  }

  private static String quotable(String kind, String text, int longest) {
    int bytes = text.getBytes(UTF_8).length;
    if (bytes > longest) {
      throw new IllegalArgumentException(
          "%s \"%s\" has %d bytes, nft reads at most %d back: shorten it"
              .formatted(kind, text, bytes, longest));
    }
    if (text.chars().anyMatch(c -> c == '"' || Character.isISOControl(c))) {
      throw new IllegalArgumentException(
          "a %s cannot hold double quotes or control characters: %s".formatted(kind, text));
    }
    return text;
  }

  static String commentText(String comment) {
    return comment.isEmpty() ? "" : " comment \"" + comment + "\"";
  }
}
