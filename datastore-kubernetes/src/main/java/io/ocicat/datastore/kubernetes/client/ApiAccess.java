package io.ocicat.datastore.kubernetes.client;

import io.ocicat.datastore.config.Pem;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.error.InvalidException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How to reach the API, at one point in time.
 *
 * @param server scheme, host and port, and a path when the API is below one
 * @param insecure whether the server's certificate is not verified
 * @param ca null for the CAs that Java trusts
 * @param certificate null for none; with its {@code key}
 * @param proxy null for none
 * @param origin where this is from, for messages
 * @param files the files it was read from; when one of them changes, read again
 */
public record ApiAccess(
    URI server,
    boolean insecure,
    @Nullable Pem ca,
    @Nullable Pem certificate,
    @Nullable Pem key,
    Secret token,
    @Nullable URI proxy,
    String origin,
    List<Path> files) {
  public ApiAccess {
    files = List.copyOf(files);
    if (!token.value().chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw new InvalidException(
          "the token of %s has blanks or characters that no token has: correct it"
              .formatted(origin));
    }
  }

  /** Whether connections made with the other serve for this one as well. */
  public boolean connectsAs(ApiAccess other) {
    return server.equals(other.server)
        && insecure == other.insecure
        && Objects.equals(ca, other.ca)
        && Objects.equals(certificate, other.certificate)
        && Objects.equals(key, other.key)
        && Objects.equals(proxy, other.proxy);
  }
}
