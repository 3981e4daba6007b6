package io.ocicat.agent;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.CalicoConventions.Tunnel;
import io.ocicat.ipam.model.ClockAndRandom;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/** A cluster's records in a datastore, written as Calico's components would write them. */
final class TestCluster implements AutoCloseable {
  private final Datastore datastore;
  private final Ipam ipam;

  TestCluster(DatastoreConfig config) {
    this.datastore = Datastores.openOwn(config);
    this.ipam = Ipam.forOneCall(datastore, ClockAndRandom.ofSystem());
  }

  static TestCluster embedded(Path directory) {
    return new TestCluster(new DatastoreConfig.Embedded(directory));
  }

  Datastore datastore() {
    return datastore;
  }

  void pool(String name, String cidr, Consumer<ObjectNode> spec) {
    create(Kind.IP_POOL, name, it -> spec.accept(it.put("cidr", cidr)));
  }

  boolean hasPool(String name) {
    return datastore.list(ResourceQuery.of(Kind.IP_POOL)).items().stream()
        .anyMatch(pool -> pool.key().name().equals(name));
  }

  void node(String name, String address, Consumer<ObjectNode> spec) {
    create(
        Kind.NODE,
        name,
        it -> {
          it.putObject("bgp").put("ipv4Address", address);
          spec.accept(it);
        });
  }

  void node(String name, String address) {
    node(name, address, _ -> {});
  }

  /** Gives a node the blocks of this range. */
  void block(String cidr, String node) {
    ipam.claimAffinity(IpPrefix.parse(cidr), BlockOwner.host(node));
  }

  void releaseBlock(String cidr, String node) {
    ipam.releaseAffinity(IpPrefix.parse(cidr), BlockOwner.host(node), false);
  }

  /** An address that is used on a node, whoever has its block. */
  void address(String address, String node) {
    ipam.assign(
        new AssignRequest(
            IpAddress.parse(address),
            node,
            "test." + address,
            Map.of(CalicoConventions.NODE, node)));
  }

  /** The address of a node's VXLAN tunnel, as start-up assigns it. */
  void tunnelAddress(String address, String node) {
    ipam.assign(
        new AssignRequest(
            IpAddress.parse(address),
            node,
            Tunnel.VXLAN.handle(node),
            Tunnel.VXLAN.attributes(node)));
  }

  /** A workload endpoint of a pod. */
  Resource endpoint(String node, String pod, String interfaceName, String mac, String... networks) {
    return endpoint(node, pod, interfaceName, mac, _ -> {}, networks);
  }

  Resource endpoint(
      String node,
      String pod,
      String interfaceName,
      String mac,
      Consumer<ObjectNode> more,
      String... networks) {
    return datastore.create(
        Resource.of(
            new ResourceKey.Named(Kind.WORKLOAD_ENDPOINT, "default", endpointName(node, pod)),
            spec -> {
              spec.put("orchestrator", "k8s")
                  .put("node", node)
                  .put("pod", pod)
                  .put("endpoint", "eth0")
                  .put("containerID", "c-" + pod)
                  .put("interfaceName", interfaceName)
                  .put("mac", mac);
              spec.putArray("profiles").add("kns.default");
              for (String network : networks) {
                spec.withArray("ipNetworks").add(network);
              }
              more.accept(spec);
            }));
  }

  void deleteEndpoint(String node, String pod) {
    datastore.delete(
        ResourceKey.of(Kind.WORKLOAD_ENDPOINT, "default", endpointName(node, pod)), null);
  }

  private static String endpointName(String node, String pod) {
    return "%s-k8s-%s-eth0".formatted(node.replace("-", "--"), pod.replace("-", "--"));
  }

  void create(Kind kind, String name, Consumer<ObjectNode> spec) {
    datastore.create(Resource.of(new ResourceKey.Named(kind, "", name), spec));
  }

  void edit(Kind kind, String name, Consumer<ObjectNode> change) {
    Resource before = datastore.get(ResourceKey.of(kind, name));
    datastore.update(before.edit(document -> change.accept((ObjectNode) document.path("spec"))));
  }

  void delete(Kind kind, String name) {
    datastore.delete(ResourceKey.of(kind, name), null);
  }

  @Override
  public void close() {
    ipam.close();
    datastore.close();
  }
}
