package io.ocicat.plugins.calicoipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.cluster.PodNode;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.netlink.linux.FileLock;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Migrates the addresses that host-local has leased to pods of this node. Meanwhile the datastore
 * is marked not ready, so that nobody gets an address from either. Every step is idempotent: after
 * an interruption it starts over.
 */
record HostLocalUpgrade(Datastore datastore, String node, Places places) {
  private static final String NETWORK = "k8s-pod-network";
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int TRIES = 5;

  /**
   * The files of host-local: its leases, and the executables that must not be called any more.
   *
   * @param drain how long running calls may take
   */
  record Places(Path leases, List<Path> executables, Duration drain) {
    static final Places OF_CALICO =
        new Places(
            Path.of("/var/lib/cni/networks", NETWORK),
            List.of(Path.of("/host/opt/cni/bin/calico"), Path.of("/host/opt/cni/bin/host-local")),
            Duration.ofSeconds(5));

    Places {
      executables = List.copyOf(executables);
    }
  }

  /** Returns how many addresses were migrated. */
  int run() throws IOException {
    if (!Files.isDirectory(places.leases())) {
      return 0;
    }
    try (Ipam ipam = Ipam.forOneCall(datastore, ClockAndRandom.ofSystem())) {
      migrateTunnel(ipam);
      int taken = 0;
      if (!leases().isEmpty()) {
        ready(false);
        for (Path executable : places.executables()) {
          Files.deleteIfExists(executable);
        }
        settle();
        taken = migrateLeases(ipam);
        ready(true);
      }
      removeFolder();
      return taken;
    }
  }

  /** The node's tunnel used the first address of the pod range without a lease. */
  private void migrateTunnel(Ipam ipam) {
    Optional<IpAddress> first =
        datastore.cluster().node(node).map(PodNode::podCidrs).orElse(List.of()).stream()
            .flatMap(text -> IpPrefix.tryParse(text).stream())
            .filter(IpPrefix::isV4)
            .map(cidr -> cidr.first().next())
            .findFirst();
    if (first.isEmpty() || !tunnel().isEmpty()) {
      return;
    }
    assign(
        ipam,
        new AssignRequest(
            first.get(),
            node,
            CalicoConventions.Tunnel.IPIP.handle(node),
            CalicoConventions.Tunnel.IPIP.attributes(node)));
    change(
        ResourceKey.of(Kind.NODE, node),
        resource ->
            resource.edit(
                tree ->
                    tree.withObject("/spec/bgp")
                        .put("ipv4IPIPTunnelAddr", first.get().toString())));
  }

  private String tunnel() {
    try {
      return datastore
          .get(ResourceKey.of(Kind.NODE, node))
          .text("spec", "bgp", "ipv4IPIPTunnelAddr")
          .orElse("");
    } catch (NotFoundException _) {
      return "";
    }
  }

  private int migrateLeases(Ipam ipam) throws IOException {
    Map<IpAddress, ResourceKey> pods = pods();
    int taken = 0;
    try (FileLock _ =
        FileLock.acquire(places.leases().resolve("lock"), FileLock.Mode.EXCLUSIVE, TIMEOUT)) {
      for (Path lease : leases()) {
        Optional<IpAddress> address = IpAddress.tryParse(String.valueOf(lease.getFileName()));
        ResourceKey pod = address.map(pods::get).orElse(null);
        if (address.isPresent() && pod != null && Files.isRegularFile(lease)) {
          String container = Files.readString(lease).lines().findFirst().orElse("").strip();
          assign(ipam, request(address.get(), container, pod));
          taken++;
        }
        Files.deleteIfExists(lease);
      }
    }
    return taken;
  }

  private AssignRequest request(IpAddress address, String container, ResourceKey pod) {
    Map<String, String> attributes =
        Map.of(
            CalicoConventions.NODE,
            node,
            CalicoConventions.NAMESPACE,
            pod.namespace(),
            CalicoConventions.POD,
            pod.name());
    return new AssignRequest(
        address, node, CalicoConventions.containerHandle(NETWORK, container), attributes);
  }

  /** An address that is already assigned was migrated by an earlier run. */
  private static void assign(Ipam ipam, AssignRequest request) {
    try {
      ipam.assign(request);
    } catch (IpamException e) {
      if (e.reason() != IpamException.Reason.ADDRESS_TAKEN) {
        throw e;
      }
    }
  }

  /** Pods of this node by address; the key has a pod's namespace and name. */
  private Map<IpAddress, ResourceKey> pods() {
    Map<IpAddress, ResourceKey> pods = new HashMap<>();
    for (Resource endpoint : datastore.list(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT)).items()) {
      if (endpoint.text("spec", "node").orElse("").equals(node)) {
        ResourceKey pod =
            ResourceKey.of(
                Kind.WORKLOAD_ENDPOINT,
                endpoint.key().namespace(),
                endpoint.text("spec", "pod").orElse(""));
        JsonNode networks =
            endpoint.<JsonNode>read(content -> content.at("/spec/ipNetworks").deepCopy());
        for (JsonNode network : networks.values()) {
          IpPrefix.tryParse(network.asString("")).ifPresent(ip -> pods.put(ip.address(), pod));
        }
      }
    }
    return pods;
  }

  /** Besides leases there are the lock file and the last-reserved files, which are obsolete. */
  private List<Path> leases() throws IOException {
    List<Path> leases = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(places.leases())) {
      for (Path file : files) {
        if (!String.valueOf(file.getFileName()).equals("lock")) {
          leases.add(file);
        }
      }
    }
    return leases;
  }

  private void removeFolder() throws IOException {
    for (Path left : leases()) {
      Files.deleteIfExists(left);
    }
    Files.deleteIfExists(places.leases().resolve("lock"));
    Files.deleteIfExists(places.leases());
  }

  private void settle() throws IOException {
    try {
      Thread.sleep(places.drain());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private void ready(boolean ready) {
    change(
        new ResourceKey.Named(Kind.CLUSTER_INFORMATION, "", "default"),
        resource -> resource.edit(tree -> flag(tree, ready)));
  }

  private static void flag(ObjectNode tree, boolean ready) {
    tree.withObject("/spec").put("datastoreReady", ready);
  }

  private void change(ResourceKey key, UnaryOperator<Resource> change) {
    for (int i = 1; ; i++) {
      try {
        datastore.update(change.apply(datastore.get(key)));
        return;
      } catch (ConflictException e) {
        if (i == TRIES) {
          throw e;
        }
      }
    }
  }
}
