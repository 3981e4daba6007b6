package io.ocicat.plugins.calico;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import tools.jackson.databind.node.ObjectNode;

/**
 * The default profile of a network without a policy of its own: all egress is allowed, and ingress
 * from the same network.
 */
final class NetworkProfile {
  private NetworkProfile() {}

  /** Creates the profile unless it exists: operators change it. */
  static void ensure(Datastore datastore, String network, boolean pods) {
    ResourceKey.Named key = new ResourceKey.Named(Kind.PROFILE, "", Workload.profile(network));
    CalicoBackend.attempt(
        "error getting profile " + key.name(),
        () -> {
          try {
            return datastore.get(key);
          } catch (NotFoundException _) {
            return create(datastore, key, network, pods);
          }
        });
  }

  private static Resource create(
      Datastore datastore, ResourceKey.Named key, String network, boolean pods) {
    try {
      return datastore.create(Resource.of(key, spec -> write(spec, network, pods)));
    } catch (ExistsException _) {
      // A concurrent ADD created it.
      return datastore.get(key);
    }
  }

  private static void write(ObjectNode spec, String network, boolean pods) {
    ObjectNode ingress = spec.putArray("ingress").addObject().put("action", "Allow");
    ObjectNode source = ingress.putObject("source");
    if (!pods) {
      source.put("selector", "has(%s)".formatted(network));
    }
    ingress.putObject("destination");
    ObjectNode egress = spec.putArray("egress").addObject().put("action", "Allow");
    egress.putObject("source");
    egress.putObject("destination");
    spec.putObject("labelsToApply").put(network, "");
  }
}
