package io.ocicat.datastore.kubernetes.client;

import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.model.ApiGroup;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Determines the API group of the custom resources: the configured one, else discovered once, and
 * again when the API no longer knows it. When the API serves both, the newer is Calico's own API
 * server, which stores its resources in the older. Thread-safe.
 */
public final class Discovery {
  private final ApiClient api;
  private volatile @Nullable ApiGroup known;

  public Discovery(ApiClient api, String configured) {
    this.api = api;
    this.known = configured.isEmpty() ? null : ApiGroup.configured(configured);
    if (configured.isEmpty()) {
      // Definitions may be migrated to the other group while a process runs.
      api.onUnknownResource(() -> known = null);
    }
  }

  public ApiGroup group() {
    ApiGroup group = known;
    if (group == null) {
      group = find();
    }
    return group;
  }

  private ApiGroup find() {
    Set<String> served = new HashSet<>();
    try {
      for (JsonNode group :
          api.call(ApiCall.get(ApiPath.GROUPS, "the list of API groups")).path("groups")) {
        served.add(JsonTrees.text(group, "name"));
      }
    } catch (UnauthorizedException _) {
      // As Calico, which uses the older group when discovery is forbidden.
      return ApiGroup.V1;
    }
    ApiGroup found =
        served.contains(ApiGroup.V3.group()) && !served.contains(ApiGroup.V1.group())
            ? ApiGroup.V3
            : ApiGroup.V1;
    if (served.contains(found.group())) {
      // Otherwise the definitions may still be installed.
      known = found;
    }
    return found;
  }
}
