package io.ocicat.cli.ipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.gc.VirtualMachines;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.CalicoConventions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Finds out who uses addresses: endpoints, the tunnels of nodes, and virtual machines, which keep
 * theirs whether a pod runs them or not. Services cannot be queried everywhere, so addresses that
 * are assigned to them count as used.
 */
final class UsedAddresses {
  private static final List<String> TUNNELS =
      List.of(
          "/spec/bgp/ipv4IPIPTunnelAddr",
          "/spec/ipv4VXLANTunnelAddr",
          "/spec/ipv6VXLANTunnelAddr",
          "/spec/wireguard/interfaceIPv4Address",
          "/spec/wireguard/interfaceIPv6Address");

  private final Map<IpAddress, List<String>> owners = new LinkedHashMap<>();

  /** Addresses that two pods may have: the one a virtual machine is in, and the one it moves to. */
  private final Map<IpAddress, Set<String>> moving = new LinkedHashMap<>();

  private UsedAddresses() {}

  static UsedAddresses of(Datastore datastore) {
    UsedAddresses used = new UsedAddresses();
    Map<String, String> pods = new HashMap<>();
    for (Resource endpoint : datastore.list(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT)).items()) {
      JsonNode networks =
          endpoint.<JsonNode>read(content -> content.at("/spec/ipNetworks").deepCopy());
      for (JsonNode network : networks.values()) {
        IpPrefix.tryParse(network.asString(""))
            .ifPresent(ip -> used.add(ip.address(), describe(endpoint)));
      }
      endpoint
          .text("spec", "pod")
          .ifPresent(pod -> pods.put(endpoint.key().namespace() + "/" + pod, describe(endpoint)));
    }
    for (Resource node : datastore.list(ResourceQuery.of(Kind.NODE)).items()) {
      for (String member : TUNNELS) {
        parse(node.<String>read(content -> content.at(member).asString("")))
            .ifPresent(ip -> used.add(ip, "Node(%s)".formatted(node.key().name())));
      }
    }
    VirtualMachines machines = VirtualMachines.of(datastore::cluster);
    for (AddressInfo info : BlockList.assigned(datastore)) {
      if (isService(info)) {
        used.add(info.address(), "Service(%s)".formatted(info.owner().getOrDefault("service", "")));
      } else if (CalicoConventions.mayBeVirtualMachine(info.handle())) {
        used.add(info, pods, machines);
      }
    }
    return used;
  }

  /** A machine is queried only where no pod accounts for it. */
  private void add(AddressInfo info, Map<String, String> pods, VirtualMachines machines) {
    Set<String> both = new HashSet<>();
    for (Map<String, String> owner : List.of(info.owner(), info.alternate())) {
      String pod = owner.get(CalicoConventions.NAMESPACE) + "/" + owner.get(CalicoConventions.POD);
      Optional.ofNullable(pods.get(pod)).ifPresent(both::add);
    }
    moving.put(info.address(), both);
    if (!owners.containsKey(info.address()) && machines.mayExist(info)) {
      String machine = String.join(" or ", VirtualMachines.namedBy(info));
      add(
          info.address(),
          "VirtualMachine(%s)".formatted(machine.isEmpty() ? info.handle() : machine));
    }
  }

  private static String describe(Resource endpoint) {
    return "Workload(%s/%s)".formatted(endpoint.key().namespace(), endpoint.key().name());
  }

  private static boolean isService(AddressInfo info) {
    return "LoadBalancer".equals(info.owner().get(CalicoConventions.TYPE))
        || (info.blockOwner() != null && info.blockOwner().type() == AffinityType.VIRTUAL);
  }

  /** Tunnel addresses are written with and without a length. */
  private static Optional<IpAddress> parse(String text) {
    return IpAddress.tryParse(text).or(() -> IpPrefix.tryParse(text).map(IpPrefix::address));
  }

  private void add(IpAddress address, String owner) {
    owners.computeIfAbsent(address.unmap(), _ -> new ArrayList<>()).add(owner);
  }

  Set<IpAddress> all() {
    return Set.copyOf(owners.keySet());
  }

  List<String> ownersOf(IpAddress address) {
    return List.copyOf(owners.getOrDefault(address, List.of()));
  }

  /** Addresses that two or more claim, and not because a virtual machine moves. */
  Map<IpAddress, List<String>> disputed() {
    Map<IpAddress, List<String>> disputed = new LinkedHashMap<>(owners);
    disputed
        .entrySet()
        .removeIf(
            entry ->
                entry.getValue().size() < 2
                    || moving.getOrDefault(entry.getKey(), Set.of()).containsAll(entry.getValue()));
    return disputed;
  }
}
