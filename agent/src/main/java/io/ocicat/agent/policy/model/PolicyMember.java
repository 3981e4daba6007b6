package io.ocicat.agent.policy.model;

import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Map;

/** What a selector can match: something with labels and addresses. */
public sealed interface PolicyMember {
  ResourceKey key();

  /** Its own labels; those of its profiles come in addition. */
  Map<String, String> labels();

  /** The profiles whose labels it inherits, the first that has a label wins. */
  List<String> profiles();

  /** Without host bits. */
  List<IpPrefix> nets();

  default List<NamedPort> ports() {
    return List.of();
  }

  /**
   * A workload endpoint.
   *
   * @param node where it runs
   * @param interfaceName the host end of its veth pair; empty when it has none yet
   * @param rank of those with one interface, the one with the lowest is in force
   * @param spoofable networks it asks to send from although they are not routed to it
   */
  record Workload(
      ResourceKey key,
      Map<String, String> labels,
      List<String> profiles,
      List<IpPrefix> nets,
      List<NamedPort> ports,
      String node,
      String interfaceName,
      Rank rank,
      List<IpPrefix> spoofable)
      implements PolicyMember {
    public Workload {
      labels = Map.copyOf(labels);
      profiles = List.copyOf(profiles);
      nets = List.copyOf(nets);
      ports = List.copyOf(ports);
      spoofable = List.copyOf(spoofable);
    }
  }

  /** What decides between workload endpoints with one interface. */
  record Rank(String orchestrator, String workload, String endpoint) implements Comparable<Rank> {
    @Override
    public int compareTo(Rank other) {
      int byOrchestrator = orchestrator.compareTo(other.orchestrator);
      int byWorkload = byOrchestrator != 0 ? byOrchestrator : workload.compareTo(other.workload);
      return byWorkload != 0 ? byWorkload : endpoint.compareTo(other.endpoint);
    }
  }

  /**
   * A host endpoint.
   *
   * @param interfaceName empty when it is found by its addresses
   */
  record HostEnd(
      ResourceKey key,
      Map<String, String> labels,
      List<String> profiles,
      List<IpAddress> addresses,
      List<NamedPort> ports,
      String node,
      String interfaceName)
      implements PolicyMember {
    public HostEnd {
      labels = Map.copyOf(labels);
      profiles = List.copyOf(profiles);
      addresses = List.copyOf(addresses);
      ports = List.copyOf(ports);
    }

    @Override
    public List<IpPrefix> nets() {
      return addresses.stream().map(IpPrefix::host).toList();
    }
  }

  /** A network set, of a namespace or global. */
  record Networks(
      ResourceKey key, Map<String, String> labels, List<String> profiles, List<IpPrefix> nets)
      implements PolicyMember {
    public Networks {
      labels = Map.copyOf(labels);
      profiles = List.copyOf(profiles);
      nets = List.copyOf(nets);
    }
  }
}
