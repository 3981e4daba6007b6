package io.ocicat.sandbox.network;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.StoredCluster;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/** Publishes pods in the datastore that the calico plugin of their network uses. */
public final class DatastorePods implements ClusterPods {
  private static final String CALICO = "calico";

  private final Datastores datastores;
  private final Map<String, String> environment;

  /**
   * @param environment the plugin's environment
   */
  public DatastorePods(Datastores datastores, Map<String, String> environment) {
    this.datastores = datastores;
    this.environment = Map.copyOf(environment);
  }

  @Override
  public boolean isNeeded(PodAttachment attachment) {
    return config(attachment).isPresent();
  }

  /** Kubernetes knows its pods itself. */
  private Optional<DatastoreConfig> config(PodAttachment attachment) {
    Optional<ObjectNode> plugin = attachment.plugin(CALICO);
    return plugin.map(this::read).filter(config -> !(config instanceof DatastoreConfig.Kubernetes));
  }

  private DatastoreConfig read(ObjectNode plugin) {
    try {
      return DatastoreConfig.ofCniConfig(plugin, environment);
    } catch (DatastoreException e) {
      throw failed("the datastore of plugin calico is misconfigured", e);
    }
  }

  @Override
  public void publish(PodConfig config, PodAttachment attachment) {
    inCluster("publish", attachment, cluster -> cluster.put(pod(config)));
  }

  @Override
  public void withdraw(PodConfig config, PodAttachment attachment) {
    inCluster("withdraw", attachment, cluster -> cluster.remove(pod(config)));
  }

  private void inCluster(String verb, PodAttachment attachment, Consumer<StoredCluster> work) {
    try {
      Datastore datastore = datastores.of(config(attachment).orElseThrow());
      if (datastore instanceof KeyValueDatastore own) {
        work.accept(own.cluster());
      }
    } catch (DatastoreException e) {
      throw failed("cannot %s pod %s in the datastore".formatted(verb, attachment.pod().pod()), e);
    }
  }

  private static SandboxException failed(String what, DatastoreException e) {
    return new SandboxException(Reason.FAILED, what + ": " + SandboxException.text(e), e);
  }

  private static Pod pod(PodConfig config) {
    return new Pod(
        config.metadata().namespace(),
        config.metadata().name(),
        config.metadata().uid(),
        config.labels(),
        config.annotations(),
        "",
        "",
        "",
        config.ports().stream()
            .map(
                port ->
                    new Pod.Port(
                        "",
                        port.protocol().name(),
                        port.containerPort(),
                        port.hostPort(),
                        port.hostIp()))
            .toList());
  }
}
