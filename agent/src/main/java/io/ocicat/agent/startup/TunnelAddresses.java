package io.ocicat.agent.startup;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.CalicoConventions.Tunnel;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.ReleaseRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Gives the node an address for each kind of tunnel that a pool uses, from IPAM, and stores it in
 * the Node. An address that the node has is kept only while its block says that it is the node's:
 * two nodes with one tunnel address, or a pod with it, lose packets. Where no pool uses a tunnel
 * any more its address is released. Can be repeated at any time; writes only what differs.
 *
 * <p>The addresses are assigned before the Node is written, and released when that fails. Killed in
 * between, the next run finds the handle without an address in the Node, and releases it first.
 */
public final class TunnelAddresses {
  private static final int ATTEMPTS = 10;

  /** The tunnels, in the order in which calico/node serves them. */
  private static final List<Tunnel> TUNNELS = List.of(Tunnel.IPIP, Tunnel.VXLAN, Tunnel.VXLAN_V6);

  private final Datastore datastore;
  private final Ipam ipam;
  private final String node;

  public TunnelAddresses(Datastore datastore, Ipam ipam, String node) {
    this.datastore = datastore;
    this.ipam = ipam;
    this.node = node;
  }

  /**
   * The addresses that the Node has.
   *
   * @param problems why a tunnel has no address, one line each
   */
  public record Allocation(Map<Tunnel, IpAddress> addresses, List<String> problems) {
    public Allocation {
      addresses = Map.copyOf(addresses);
      problems = List.copyOf(problems);
    }
  }

  /**
   * Brings the addresses in line with the pools.
   *
   * @throws DatastoreException when the datastore fails
   */
  public Allocation ensure(Collection<IpPool> pools) {
    Resource read = datastore.get(ResourceKey.of(Kind.NODE, node));
    Map<Tunnel, IpAddress> wanted = new EnumMap<>(Tunnel.class);
    List<Tunnel> assigned = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    try {
      for (Tunnel tunnel : TUNNELS) {
        Optional<IpAddress> current = current(read, tunnel);
        try {
          Optional<IpAddress> next = next(tunnel, current, ranges(pools, tunnel, read.labels()));
          next.ifPresent(address -> wanted.put(tunnel, address));
          if (next.isPresent() && !next.equals(current)) {
            assigned.add(tunnel);
          }
        } catch (IpamException e) {
          problems.add(
              "node %s has no address for its %s tunnel: %s"
                  .formatted(node, tunnel, e.getMessage()));
        }
      }
      write(read, wanted);
    } catch (RuntimeException e) {
      assigned.forEach(tunnel -> releaseAfter(e, tunnel));
      throw e;
    }
    return new Allocation(wanted, problems);
  }

  private void releaseAfter(RuntimeException failure, Tunnel tunnel) {
    try {
      release(tunnel);
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /** The address to have: the current one if it is the node's, else a new one. */
  private Optional<IpAddress> next(
      Tunnel tunnel, Optional<IpAddress> current, List<IpPrefix> ranges) {
    if (ranges.isEmpty()) {
      release(tunnel);
      return Optional.empty();
    }
    Optional<AddressInfo> owner = current.flatMap(this::owner);
    if (owner.isPresent() && isIn(ranges, owner.get())) {
      if (isOwn(owner.get(), tunnel)) {
        return current;
      }
      if (isUnclaimed(owner.get())) {
        return Optional.of(claim(owner.get(), tunnel));
      }
    }
    release(tunnel);
    return Optional.of(assign(tunnel, ranges));
  }

  private Optional<AddressInfo> owner(IpAddress address) {
    try {
      return Optional.of(ipam.info(address));
    } catch (IpamException e) {
      if (e.reason() == IpamException.Reason.NOT_ASSIGNED) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static boolean isIn(List<IpPrefix> ranges, AddressInfo info) {
    return ranges.stream().anyMatch(range -> range.contains(info.address()));
  }

  private boolean isOwn(AddressInfo info, Tunnel tunnel) {
    return info.owner().entrySet().containsAll(tunnel.attributes(node).entrySet());
  }

  /** Very old versions assigned addresses without a trace of whose they are. */
  private static boolean isUnclaimed(AddressInfo info) {
    return info.handle() == null && info.owner().isEmpty();
  }

  private IpAddress claim(AddressInfo info, Tunnel tunnel) {
    ipam.release(List.of(ReleaseRequest.of(info)));
    ipam.assign(
        new AssignRequest(info.address(), node, tunnel.handle(node), tunnel.attributes(node)));
    return info.address();
  }

  private IpAddress assign(Tunnel tunnel, List<IpPrefix> ranges) {
    boolean v4 = tunnel != Tunnel.VXLAN_V6;
    AutoAssignResult result =
        ipam.autoAssign(
            AutoAssignRequest.on(node)
                .withCounts(v4 ? 1 : 0, v4 ? 0 : 1)
                .withHandle(tunnel.handle(node), tunnel.attributes(node))
                .withPools(ranges)
                .withUse(IpPool.Use.TUNNEL));
    return result.addresses().stream()
        .map(IpPrefix::address)
        .findFirst()
        .orElseThrow(
            () ->
                new IpamException(
                    IpamException.Reason.NO_POOL, result.all().getFirst().explanation()));
  }

  private void release(Tunnel tunnel) {
    try {
      ipam.releaseByHandle(tunnel.handle(node));
    } catch (IpamException e) {
      if (e.reason() != IpamException.Reason.NO_SUCH_HANDLE) {
        throw e;
      }
    }
  }

  private static List<IpPrefix> ranges(
      Collection<IpPool> pools, Tunnel tunnel, Map<String, String> labels) {
    return pools.stream()
        .filter(
            pool ->
                pool.enabled()
                    && pool.allows(IpPool.Use.TUNNEL)
                    && uses(pool, tunnel)
                    && pool.nodeSelector().matches(labels))
        .map(IpPool::cidr)
        .toList();
  }

  private static boolean uses(IpPool pool, Tunnel tunnel) {
    return switch (tunnel) {
      case IPIP -> pool.version() == IpVersion.V4 && pool.ipip() != IpPool.Tunnel.NEVER;
      case VXLAN -> pool.version() == IpVersion.V4 && pool.vxlan() != IpPool.Tunnel.NEVER;
      case VXLAN_V6 -> pool.version() == IpVersion.V6 && pool.vxlan() != IpPool.Tunnel.NEVER;
      case WIREGUARD, WIREGUARD_V6 -> false;
    };
  }

  /** All addresses in one write. What others change in the Node meanwhile stays. */
  private void write(Resource read, Map<Tunnel, IpAddress> wanted) {
    Resource now = read;
    for (int attempt = 1; !has(now, wanted); attempt++) {
      try {
        datastore.update(now.edit(document -> put(document, wanted)));
        return;
      } catch (ConflictException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
        now = datastore.get(read.key());
      }
    }
  }

  private static boolean has(Resource node, Map<Tunnel, IpAddress> wanted) {
    return TUNNELS.stream()
        .allMatch(tunnel -> current(node, tunnel).equals(Optional.ofNullable(wanted.get(tunnel))));
  }

  private static void put(ObjectNode document, Map<Tunnel, IpAddress> wanted) {
    ObjectNode spec = document.withObject("/spec");
    for (Tunnel tunnel : TUNNELS) {
      ObjectNode parent = tunnel == Tunnel.IPIP ? spec.withObject("/bgp") : spec;
      IpAddress address = wanted.get(tunnel);
      if (address == null) {
        parent.remove(member(tunnel));
      } else {
        parent.put(member(tunnel), address.toString());
      }
    }
    if (spec.withObject("/bgp").isEmpty()) {
      // Calico does not accept an empty one.
      spec.remove("bgp");
    }
  }

  private static Optional<IpAddress> current(Resource node, Tunnel tunnel) {
    return (tunnel == Tunnel.IPIP
            ? node.text("spec", "bgp", member(tunnel))
            : node.text("spec", member(tunnel)))
        .flatMap(IpAddress::tryParse);
  }

  private static String member(Tunnel tunnel) {
    return switch (tunnel) {
      case IPIP -> "ipv4IPIPTunnelAddr";
      case VXLAN -> "ipv4VXLANTunnelAddr";
      case VXLAN_V6 -> "ipv6VXLANTunnelAddr";
      case WIREGUARD, WIREGUARD_V6 -> throw new IllegalArgumentException(tunnel + " is not served");
    };
  }
}
