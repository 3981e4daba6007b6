package io.ocicat.datastore.kubernetes;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.json.Json;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.Crds;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** A small API server for the tests of modules that stand on a datastore. */
public final class TestCluster implements AutoCloseable {
  private final ApiServer server = new ApiServer();

  public TestCluster(ApiGroup group) {
    server.define(Crds.of(group));
  }

  /** One more way to it, as another process would have it. */
  public Datastore open() {
    return Opening.open(server);
  }

  /** Makes or replaces a node. */
  public void node(String name, Map<String, String> labels) {
    ObjectNode node = Json.object();
    ObjectNode metadata = node.putObject("metadata").put("name", name);
    labels.forEach(metadata.putObject("labels")::put);
    server.put("nodes", name, node);
  }

  @Override
  public void close() {
    server.close();
  }
}
