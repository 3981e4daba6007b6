package io.ocicat.agent.matrix;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** Makes resources for cases, from YAML. */
public final class Stored {
  private Stored() {}

  /** A resource with this spec, which may be in the flow style of YAML. */
  public static Resource of(Kind kind, String namespace, String name, String spec) {
    return Resource.of(
        new ResourceKey.Named(kind, namespace, name),
        it -> it.setAll((ObjectNode) Texts.yaml(spec)));
  }

  public static Resource labelled(Resource resource, Map<String, String> labels) {
    return resource.edit(
        document -> {
          ObjectNode own = document.withObject("/metadata").putObject("labels");
          labels.forEach(own::put);
        });
  }

  public static Resource kubernetes(String namespace, String name, String spec) {
    return of(Kind.KUBERNETES_NETWORK_POLICY, namespace, name, spec);
  }

  public static Resource cluster(String name, String spec) {
    return of(Kind.CLUSTER_NETWORK_POLICY, "", name, spec);
  }

  public static Resource calico(String namespace, String name, String spec) {
    return of(Kind.NETWORK_POLICY, namespace, name, spec);
  }

  public static Resource global(String name, String spec) {
    return of(Kind.GLOBAL_NETWORK_POLICY, "", name, spec);
  }

  public static Resource tier(String name, String spec) {
    return of(Kind.TIER, "", name, spec);
  }
}
