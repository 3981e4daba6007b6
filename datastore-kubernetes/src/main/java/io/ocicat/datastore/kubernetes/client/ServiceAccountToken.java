package io.ocicat.datastore.kubernetes.client;

import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.json.StoredJson;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Reads the expiry from a service account's token, a JSON Web Token. */
public final class ServiceAccountToken {
  private ServiceAccountToken() {}

  /** Returns when it expires; empty when it has another form or does not say. */
  public static Optional<Instant> expiry(Secret token) {
    String[] parts = token.value().split("\\.", -1);
    if (parts.length != 3) {
      return Optional.empty();
    }
    try {
      String claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
      JsonNode end = StoredJson.parseObject(claims).path("exp");
      return end.canConvertToLong()
          ? Optional.of(Instant.ofEpochSecond(end.longValue()))
          : Optional.empty();
    } catch (IllegalArgumentException | DateTimeException _) {
      return Optional.empty();
    }
  }
}
