package io.ocicat.daemon;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import tools.jackson.databind.node.ObjectNode;

/** A pod on a Calico network, whose datastore a test can make refuse everything for a while. */
record CalicoPod(Installation ocicat, Host host, String id) {
  private static final ResourceKey.Named READY =
      new ResourceKey.Named(Kind.CLUSTER_INFORMATION, "", "default");

  Command add() {
    return call("ADD");
  }

  Command del() {
    return call("DEL");
  }

  private Command call(String verb) {
    return ocicat
        .call(
            "calico",
            verb,
            """
            {"cniVersion": "1.1.0", "name": "calico", "type": "calico", "datastore_type": "embedded",
             "nodename": "node-a", "nodename_file_optional": true, "policy": {"type": "k8s"},
             "ipam": {"type": "host-local", "dataDir": "%s", "ranges": [[{"subnet": "10.65.0.0/24"}]]}}
            """
                .formatted(ocicat.leases()))
        .env("CNI_CONTAINERID", id)
        .env("CNI_IFNAME", "eth0")
        .env("CNI_NETNS", host.path().toString())
        .env("CNI_ARGS", "K8S_POD_NAME=" + id + ";K8S_POD_NAMESPACE=test");
  }

  static Datastore open(Installation ocicat) {
    return Datastores.openOwn(new DatastoreConfig.Embedded(ocicat.state()));
  }

  /** Exists once something was attached. */
  static void ready(Datastore datastore, boolean ready) {
    Resource information = datastore.get(READY);
    datastore.update(
        information.edit(
            document -> ((ObjectNode) document.path("spec")).put("datastoreReady", ready)));
  }
}
