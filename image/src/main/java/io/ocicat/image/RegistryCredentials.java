package io.ocicat.image;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * What proves to a registry who asks. At most one way is used, in the order of CRI's AuthConfig:
 * user name and password, identity token, {@code auth}, registry token. Absent ones are empty.
 *
 * @param identityToken exchanged for access tokens (OAuth 2 refresh token)
 * @param registryToken sent as it is
 * @param server the only host they are for; empty means the registry in the image's name
 */
public record RegistryCredentials(
    String username, String password, String identityToken, String registryToken, String server) {
  public static final RegistryCredentials NONE = new RegistryCredentials("", "", "", "", "");

  public static RegistryCredentials basic(String username, String password) {
    return new RegistryCredentials(username, password, "", "", "");
  }

  /**
   * Reads docker's {@code auth}.
   *
   * @param encoded base64 of {@code user:password}
   * @throws IllegalArgumentException if it is not; the message does not contain it
   */
  public static RegistryCredentials ofAuth(String encoded) {
    String plain;
    try {
      plain = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("auth is not base64 of user:password", e);
    }
    int colon = plain.indexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("auth is not base64 of user:password");
    }
    // docker fills the text with zeros.
    return basic(plain.substring(0, colon), plain.substring(colon + 1).replace("\0", ""));
  }

  /** For this host only. */
  public RegistryCredentials onlyFor(String host) {
    return new RegistryCredentials(username, password, identityToken, registryToken, host);
  }

  public boolean isEmpty() {
    return username.isEmpty() && identityToken.isEmpty() && registryToken.isEmpty();
  }

  /** Secrets stay out of messages and logs. */
  @Override
  public String toString() {
    return isEmpty() ? "no credentials" : "credentials";
  }
}
