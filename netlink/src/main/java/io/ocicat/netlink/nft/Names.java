package io.ocicat.netlink.nft;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.regex.Pattern;

/** What may be called what, and what may be said about it. */
final class Names {
  private static final int LONGEST_NAME = 255;

  /** The longest comment nft reads back from its own listing. */
  private static final int LONGEST_COMMENT = 128;

  private static final Pattern NFT_WORD = Pattern.compile("[A-Za-z_.][A-Za-z0-9/_.-]*");

  private Names() {}

  /** The kernel would silently cut a name at a zero byte, and mean another object. */
  static void refuseZeros(String name) {
    if (name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a name in nf_tables cannot hold a zero character");
    }
  }

  /**
   * Checks the name of something about to be created. The kernel takes nearly anything; but a name
   * that nft cannot read back makes the whole listing of the machine unusable for {@code nft -f}.
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
    int bytes = text.getBytes(UTF_8).length;
    if (bytes > LONGEST_COMMENT) {
      throw new IllegalArgumentException(
          "comment \"%s\" has %d bytes, nft reads at most %d back: shorten it"
              .formatted(text, bytes, LONGEST_COMMENT));
    }
    if (text.chars().anyMatch(c -> c == '"' || Character.isISOControl(c))) {
      throw new IllegalArgumentException(
          "a comment cannot hold double quotes or control characters: " + text);
    }
    return text;
  }

  static String commentText(String comment) {
    return comment.isEmpty() ? "" : " comment \"" + comment + "\"";
  }
}
