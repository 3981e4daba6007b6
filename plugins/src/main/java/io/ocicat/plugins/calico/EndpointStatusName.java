package io.ocicat.plugins.calico;

import io.ocicat.datastore.model.WorkloadEndpointName;
import io.ocicat.datastore.resource.ResourceKey;
import java.nio.charset.StandardCharsets;

/** The name of the file in which an agent reports that an endpoint is ready. */
public final class EndpointStatusName {
  private static final String KEPT = "-_.~$&+=:@";

  private EndpointStatusName() {}

  /** Felix's name for it: orchestrator, namespace/workload and endpoint, URL-encoded. */
  public static String of(ResourceKey endpoint) {
    WorkloadEndpointName name =
        WorkloadEndpointName.parse(endpoint.name())
            .orElseThrow(() -> new IllegalArgumentException("no endpoint: " + endpoint.name()));
    return of(name.orchestrator(), endpoint.namespace() + "/" + name.workload(), name.endpoint());
  }

  static String of(String orchestrator, String workload, String endpoint) {
    return String.join(" ", escape(orchestrator), escape(workload), escape(endpoint));
  }

  private static String escape(String text) {
    StringBuilder escaped = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      boolean plain =
          (b >= 'a' && b <= 'z')
              || (b >= 'A' && b <= 'Z')
              || (b >= '0' && b <= '9')
              || KEPT.indexOf(b) >= 0;
      if (plain) {
        escaped.append((char) b);
      } else {
        escaped.append("%%%02X".formatted(b & 0xff));
      }
    }
    return escaped.toString();
  }
}
