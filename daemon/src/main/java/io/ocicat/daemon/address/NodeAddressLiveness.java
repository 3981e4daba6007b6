package io.ocicat.daemon.address;

import io.ocicat.daemon.address.RecordedContainers.Recorded;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.gc.NodeLiveness;
import java.time.Clock;
import java.util.HashSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Decides whether an address of this node is in use, from attachment records, endpoints and the
 * kernel. Any one of them is enough.
 */
public final class NodeAddressLiveness {
  private final String node;
  private final Set<String> containers = new HashSet<>();
  private final Set<String> pods = new HashSet<>();
  private final Set<IpAddress> addresses = new HashSet<>();

  private NodeAddressLiveness(String node) {
    this.node = node;
  }

  /** From records and endpoints. */
  public static NodeAddressLiveness of(String node, DaemonState state, Datastore datastore) {
    return of(node, new RecordedContainers(state, Clock.systemUTC()), datastore);
  }

  /** The same, for a caller that asks repeatedly. */
  static NodeAddressLiveness of(String node, RecordedContainers recorded, Datastore datastore) {
    NodeAddressLiveness truth = new NodeAddressLiveness(node);
    recorded.list().forEach(truth::add);
    for (Resource endpoint : datastore.list(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT)).items()) {
      truth.add(endpoint);
    }
    return truth;
  }

  private void add(Recorded container) {
    container.id().ifPresent(containers::add);
    pods.add(container.pod());
  }

  /** Endpoints of other nodes count as well: an address that anything has is in use. */
  private void add(Resource endpoint) {
    endpoint.text("spec", "containerID").ifPresent(containers::add);
    endpoint.text("spec", "pod").ifPresent(pod -> pods.add(endpoint.key().namespace() + "/" + pod));
    JsonNode networks =
        endpoint.<JsonNode>read(content -> content.at("/spec/ipNetworks").deepCopy());
    for (JsonNode network : networks.values()) {
      IpPrefix.tryParse(network.asString("")).ifPresent(ip -> addresses.add(ip.address()));
    }
  }

  /** Adds the addresses that the kernel has. */
  public NodeAddressLiveness and(Set<IpAddress> ofInterfaces) {
    addresses.addAll(ofInterfaces);
    return this;
  }

  public NodeLiveness toNodeLiveness() {
    return new NodeLiveness(node, containers, pods, addresses);
  }
}
