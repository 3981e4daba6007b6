package io.ocicat.plugins.httpipam;

import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.CniException;
import io.ocicat.netlink.linux.RegularFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * The token that authenticates us to the server. It never appears in any text, not even in the one
 * that says what is wrong with it.
 */
final class BearerToken {
  private static final int MAX_BYTES = 64 << 10;

  /** A shorter string is not a secret, but part of many words and numbers. */
  private static final int SHORTEST_SECRET = 8;

  private static final Pattern FITS_A_HEADER = Pattern.compile("[\\x21-\\x7e]+");

  private final String secret;
  private final String source;

  private BearerToken(String secret, String source) {
    this.secret = secret;
    this.source = source;
  }

  /** From {@code token} or the file that {@code tokenFile} names; exactly one must be there. */
  static BearerToken read(JsonFields in) {
    Optional<JsonNode> token = in.value("token").raw();
    String file = in.text("tokenFile").or("");
    if (token.isPresent() == !file.isEmpty()) {
      in.problem(
          "token", "or tokenFile is required, " + (file.isEmpty() ? "one of them" : "not both"));
    } else if (token.isEmpty()) {
      return fromFile(in, file);
    } else if (!token.get().isString() || !isUsable(token.get().stringValue())) {
      in.problem("token", "must be a text of visible ASCII characters, without blanks");
    } else {
      return new BearerToken(token.get().stringValue(), "ipam.token of the network configuration");
    }
    return new BearerToken("", "nowhere");
  }

  private static BearerToken fromFile(JsonFields in, String file) {
    try {
      byte[] content = RegularFile.read(Path.of(file), MAX_BYTES);
      String text = new String(content, StandardCharsets.UTF_8).strip();
      if (!isUsable(text)) {
        in.problem(
            "tokenFile", "%s must hold one token of visible ASCII characters".formatted(file));
      }
      return new BearerToken(text, file);
    } catch (NoSuchFileException _) {
      in.problem("tokenFile", file + " does not exist");
    } catch (IOException | InvalidPathException e) {
      in.problem("tokenFile", "%s cannot be read: %s".formatted(file, e.getMessage()));
    }
    return new BearerToken("", file);
  }

  private static boolean isUsable(String text) {
    return FITS_A_HEADER.matcher(text).matches();
  }

  /** For the header, and nothing else. */
  String authorization() {
    return "Bearer " + secret;
  }

  /** Removes the token from a text: some servers repeat the request in their error pages. */
  String redact(String text) {
    return secret.length() < SHORTEST_SECRET ? text : text.replace(secret, "<token>");
  }

  /** The error without the token; the same object when the token does not occur in it. */
  CniException redact(CniException e) {
    String msg = redact(e.msg());
    String details = redact(e.details());
    return msg.equals(e.msg()) && details.equals(e.details())
        ? e
        : new CniException(e.code(), msg, details);
  }

  /** The error for a server that rejects the token, or does not permit an operation with it. */
  CniException refused(String what, String why) {
    return new CniException(
        HttpIpamErrorCodes.UNAUTHORIZED,
        "%s: %s".formatted(what, why),
        "the token comes from %s: put one there that the server accepts".formatted(source));
  }

  /** File system errors, for instance, must not reveal it. */
  @Override
  public String toString() {
    return "token from " + source;
  }
}
