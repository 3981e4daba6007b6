package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.datastore.cluster.ClusterSecrets;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.kubernetes.client.ApiCall;
import io.ocicat.datastore.kubernetes.client.ApiClient;
import io.ocicat.datastore.kubernetes.client.ApiPath;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** Secrets, whose entries the API has in base64. */
record KubernetesSecrets(ApiClient api) implements ClusterSecrets {
  private static final ApiPath SECRETS = ApiPath.core("secrets");

  @Override
  public Optional<Map<String, String>> secret(String namespace, String name) {
    String subject = "secret %s/%s".formatted(namespace, name);
    try {
      ObjectNode found = api.call(ApiCall.get(SECRETS.in(namespace).named(name), subject));
      Map<String, String> entries = new TreeMap<>();
      JsonTrees.texts(found, "data").forEach((key, value) -> entries.put(key, decode(value)));
      return Optional.of(entries);
    } catch (NotFoundException _) {
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      throw new CorruptException(subject + " has an entry that is not base64", e);
    }
  }

  private static String decode(String value) {
    return new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8);
  }
}
