package io.ocicat.datastore.kubernetes.client;

import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.model.ApiGroup;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Which group the custom resources are in: the one that is configured, else found out once, and
 * again when the API turns out not to know it any more. When the API serves both, the newer is
 * Calico's own API server, which keeps its resources in the older. Thread-safe.
 */
public final class Discovery {
  private final ApiClient api;
  private volatile @Nullable ApiGroup known;

  public Discovery(ApiClient api, String configured) {
    this.api = api;
    this.known = configured.isEmpty() ? null : ApiGroup.configured(configured);
    if (configured.isEmpty()) {
      // Definitions may have been moved to the other group under a process that runs.
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
      // As Calico, which asks the older one when it may not know.
      return ApiGroup.V1;
    }
    ApiGroup found =
        served.contains(ApiGroup.V3.group()) && !served.contains(ApiGroup.V1.group())
            ? ApiGroup.V3
            : ApiGroup.V1;
    if (served.contains(found.group())) {
      // Otherwise somebody may still install the definitions.
      known = found;
    }
    return found;
  }
}
