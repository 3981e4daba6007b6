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
 * How to reach the API, as it was at one moment.
 *
 * @param server scheme, host and port, and a path when the API is below one
 * @param insecure whether any certificate of the server will do
 * @param ca null for the authorities that Java trusts
 * @param certificate null for none; with its {@code key}
 * @param proxy null for none
 * @param origin where this is from, for messages
 * @param files what it was read from; when one of them changes it is time to read again
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

  /** Whether connections made with that one serve for this one as well. */
  public boolean connectsAs(ApiAccess other) {
    return server.equals(other.server)
        && insecure == other.insecure
        && Objects.equals(ca, other.ca)
        && Objects.equals(certificate, other.certificate)
        && Objects.equals(key, other.key)
        && Objects.equals(proxy, other.proxy);
  }
}
