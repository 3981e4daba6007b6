package io.ocicat.agent.bird;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A complete configuration as it is on disk: what is wanted, then the log and a constant with the
 * digest of everything before it. BIRD tells the constant's value on request, so that it is always
 * known which configuration it has loaded, whoever loaded it. What is added comes last: BIRD then
 * names lines as they are in the wanted text.
 *
 * @param text the whole file
 * @param digest of its wanted text and log, 64 hexadecimal digits
 */
record BirdConfiguration(String text, String digest) {
  private static final String CONSTANT = "ocicat_digest";
  private static final int LOG_BYTES = 4 << 20;
  private static final Pattern WHOLE =
      Pattern.compile(
          "(?s)(?<before>.*\n)define " + CONSTANT + " = \"(?<digest>[0-9a-f]{64})\";\n");
  private static final Pattern LISTENS =
      Pattern.compile("\\blocal\\b[^;]*\\bport\\s+(\\d{1,5})\\b");
  static final int BGP_PORT = 179;

  /** Asks BIRD for the digest of what it has loaded. */
  static final String QUESTION = "eval " + CONSTANT;

  static BirdConfiguration of(String wanted, BirdFiles files) {
    String before =
        wanted
            + (wanted.endsWith("\n") ? "" : "\n")
            + "log \"%s\" %d \"%s.1\" { trace, info, remote, warning, error, auth, fatal, bug };\n"
                .formatted(files.log(), LOG_BYTES, files.log());
    return withDigest(before);
  }

  /**
   * One without any BGP session, which makes BIRD remove from the kernel all routes that it wrote.
   */
  static BirdConfiguration withdrawing(BirdFiles files) {
    return of(
        """
        router id 0.0.0.1;
        protocol device {}
        protocol kernel kernel4 { metric 0; ipv4 { import none; export none; }; }
        protocol kernel kernel6 { metric 0; ipv6 { import none; export none; }; }
        """,
        files);
  }

  private static BirdConfiguration withDigest(String before) {
    String digest = digest(before);
    return new BirdConfiguration(
        before + "define %s = \"%s\";\n".formatted(CONSTANT, digest), digest);
  }

  /** The configuration in a file, if it is one that an agent wrote and nobody has changed. */
  static Optional<BirdConfiguration> read(Path file) {
    try {
      Matcher whole = WHOLE.matcher(Files.readString(file));
      return whole.matches() && digest(whole.group("before")).equals(whole.group("digest"))
          ? Optional.of(new BirdConfiguration(whole.group(), whole.group("digest")))
          : Optional.empty();
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  byte[] bytes() {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The port that BIRD should listen at. */
  int port() {
    Matcher listens = LISTENS.matcher(text);
    return listens.find() ? Integer.parseInt(listens.group(1)) : BGP_PORT;
  }

  private static String digest(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
