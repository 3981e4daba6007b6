package io.ocicat.cli.ipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import tools.jackson.databind.JsonNode;

/** What ClusterInformation says; texts are empty when there is none. */
record ClusterState(
    String guid, String type, String calicoVersion, String revision, boolean locked) {
  static ClusterState of(Datastore datastore) {
    try {
      Resource information =
          datastore.get(new ResourceKey.Named(Kind.CLUSTER_INFORMATION, "", "default"));
      JsonNode spec = information.<JsonNode>read(content -> content.path("spec").deepCopy());
      return new ClusterState(
          spec.path("clusterGUID").asString(""),
          spec.path("clusterType").asString(""),
          spec.path("calicoVersion").asString(""),
          information.revision(),
          !spec.path("datastoreReady").asBoolean(true));
    } catch (NotFoundException _) {
      return new ClusterState("", "", "", "", false);
    }
  }
}
