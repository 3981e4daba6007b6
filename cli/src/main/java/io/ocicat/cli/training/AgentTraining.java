package io.ocicat.cli.training;

import io.ocicat.agent.AgentService;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs the node's agent in a training run, on each datastore, with another node to route to. It is
 * in the network namespace of the training and writes below a /var/lib that is not the machine's.
 */
final class AgentTraining {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String NODE = "training";
  private static final String ADDRESS = "192.0.2.1";

  private AgentTraining() {}

  /**
   * Trains with the servers that there are.
   *
   * @param served addresses by the kind of server
   */
  static void run(Map<String, String> served, Path folder) throws InterruptedException {
    giveAddress();
    if (served.containsKey("etcd")) {
      serve(Map.of("DATASTORE_TYPE", "etcdv3", "ETCD_ENDPOINTS", served.get("etcd")), folder);
    }
    if (served.containsKey("kubeconfig")) {
      serve(Map.of("DATASTORE_TYPE", "kubernetes", "KUBECONFIG", served.get("kubeconfig")), folder);
    }
    serve(Map.of("DATASTORE_TYPE", "embedded"), folder);
  }

  private static void giveAddress() {
    try (NetNs here = NetNs.current();
        NetlinkSocket net = NetlinkSocket.open(Protocol.ROUTE, here)) {
      Device lo = Device.of(net.find(Links.named("lo")).orElseThrow());
      net.perform(List.of(Addresses.replace(Address.of(IpPrefix.parse(ADDRESS + "/24"), lo))));
    }
  }

  private static void serve(Map<String, String> datastore, Path folder)
      throws InterruptedException {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.putAll(datastore);
    environment.put("NODENAME", NODE);
    environment.put("IP", ADDRESS);
    environment.put("FELIX_ENDPOINTSTATUSPATHPREFIX", folder.toString());
    try (Datastore prepared = Datastores.openOwn(DatastoreConfig.ofEnvironment(environment));
        AgentService service = AgentService.start(environment, folder.resolve("agent"), _ -> {})) {
      await(() -> service.status().inSync());
      int before = service.status().routes();
      addNode(prepared);
      await(() -> service.status().routes() > before);
    }
  }

  private static void addNode(Datastore datastore) {
    create(
        datastore,
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "tunnelled"),
            spec -> spec.put("cidr", "10.66.0.0/16").put("vxlanMode", "Always")));
    create(
        datastore,
        Resource.of(
            new ResourceKey.Named(Kind.NODE, "", "training-2"),
            spec -> {
              spec.put("ipv4VXLANTunnelAddr", "10.66.2.0");
              spec.putObject("bgp").put("ipv4Address", "192.0.2.2/24");
            }));
    try (Ipam ipam = Ipam.forOneCall(datastore, ClockAndRandom.ofSystem())) {
      ipam.claimAffinity(IpPrefix.parse("10.65.200.0/26"), BlockOwner.host("training-2"));
    }
  }

  private static void create(Datastore datastore, Resource resource) {
    try {
      datastore.create(resource);
    } catch (ExistsException _) {
      // From another datastore's training on the same server.
    } catch (UnsupportedException _) {
      // Kubernetes' nodes are there; what Calico knows of them is written.
      datastore.update(
          datastore
              .get(resource.key())
              .edit(document -> document.set("spec", resource.content().get("spec"))));
    }
  }

  private interface Condition {
    boolean holds();
  }

  private static void await(Condition condition) throws InterruptedException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the agent did not get that far");
      }
      Thread.sleep(10);
    }
  }
}
