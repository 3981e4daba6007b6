package io.ocicat.agent.bgp;

import io.ocicat.agent.view.SecretEntry;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The passwords of sessions. A session whose password is not known stays disabled: without it, it
 * would be open to anybody who can reach the port.
 */
final class SessionPasswords {
  /** TCP_MD5SIG_MAXKEYLEN of the kernel. */
  private static final int MAX_BYTES = 80;

  private final BgpSecrets secrets;
  private final Collection<String> problems;
  private boolean pending;

  /** A password, or that the session must wait for one. */
  record Password(String text, boolean usable) {
    static final Password NONE = new Password("", true);
    static final Password UNUSABLE = new Password("", false);
  }

  SessionPasswords(BgpSecrets secrets, Collection<String> problems) {
    this.secrets = secrets;
    this.problems = problems;
  }

  /** Whether a password was asked for that nobody has looked for yet. */
  boolean isPending() {
    return pending;
  }

  /**
   * The password in an entry.
   *
   * @param owner whose sessions it is for
   */
  Password of(@Nullable SecretEntry entry, String owner) {
    if (entry == null) {
      return Password.NONE;
    }
    BgpSecrets.Answer answer = secrets.find(entry);
    if (answer instanceof BgpSecrets.Answer.Found(String text) && unusable(text).isEmpty()) {
      return new Password(text, true);
    }
    problems.add(
        "%s: its sessions are disabled until the password is known: %s %s"
            .formatted(owner, entry, why(answer)));
    return Password.UNUSABLE;
  }

  private String why(BgpSecrets.Answer answer) {
    return switch (answer) {
      case BgpSecrets.Answer.Found(String text) -> unusable(text);
      case BgpSecrets.Answer.Missing(String reason) -> reason;
      case BgpSecrets.Answer.Pending _ -> {
        pending = true;
        yield "has not been read yet";
      }
    };
  }

  private static String unusable(String text) {
    if (text.isEmpty()) {
      return "is empty";
    }
    if (text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0) {
      return "has a line break, which BIRD cannot read: write it without one, as printf does";
    }
    if (text.indexOf('"') >= 0 || text.indexOf('\0') >= 0) {
      return "has a quotation mark, which BIRD cannot read: choose another password";
    }
    return text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES
        ? "is longer than 80 bytes, which the kernel does not accept: choose another password"
        : "";
  }
}
