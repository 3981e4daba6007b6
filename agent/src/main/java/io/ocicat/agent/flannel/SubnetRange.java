package io.ocicat.agent.flannel;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The subnets of a network that nodes may lease: those of one length from {@code min} to {@code
 * max}. Without other values the first subnet of the network is left out, as flanneld does.
 */
record SubnetRange(IpPrefix network, int length, IpAddress min, IpAddress max) {
  /** The limits of a family. */
  private record Limits(String name, int longest, int longestNetwork, int usual) {
    static Limits of(IpPrefix network) {
      return network.isV4() ? new Limits("", 30, 28, 24) : new Limits("IPv6", 126, 124, 64);
    }
  }

  /**
   * Completes what the configuration says.
   *
   * @throws FlannelException when that is impossible
   */
  static SubnetRange of(NetConf.Range range) {
    IpPrefix network = range.network();
    Limits limits = Limits.of(network);
    int length = length(range, limits);
    IpPrefix first = IpPrefix.of(network.first(), length);
    IpPrefix last = IpPrefix.of(network.last(), length).network();
    IpAddress min =
        aligned(limits.name() + "SubnetMin", range.min(), first.last().next(), network, length);
    IpAddress max =
        aligned(limits.name() + "SubnetMax", range.max(), last.first(), network, length);
    if (min.compareTo(max) > 0) {
      throw new FlannelException(
          "%sSubnetMin %s is after %sSubnetMax %s: no subnet is left"
              .formatted(limits.name(), min, limits.name(), max));
    }
    return new SubnetRange(network, length, min, max);
  }

  private static int length(NetConf.Range range, Limits limits) {
    int network = range.network().length();
    int given = range.subnetLength();
    if (given != 0) {
      if (given > limits.longest() || given < network + 2) {
        throw new FlannelException(
            "%sSubnetLen %d does not fit %sNetwork %s: it must be %d–%d"
                .formatted(
                    limits.name(),
                    given,
                    limits.name(),
                    range.network(),
                    network + 2,
                    limits.longest()));
      }
      return given;
    }
    if (network > limits.longestNetwork()) {
      throw new FlannelException(
          "%sNetwork %s is too small for subnets of nodes: use /%d or larger"
              .formatted(limits.name(), range.network(), limits.longestNetwork()));
    }
    return network <= limits.usual() - 2 ? limits.usual() : network + 2;
  }

  private static IpAddress aligned(
      String name, @Nullable IpAddress given, IpAddress usual, IpPrefix network, int length) {
    if (given == null) {
      return usual;
    }
    if (!network.contains(given)) {
      throw new FlannelException("%s %s is not in the network %s".formatted(name, given, network));
    }
    if (!IpPrefix.of(given, length).isNetwork()) {
      throw new FlannelException(
          "%s %s is not the start of a /%d: the subnet it is in starts at %s"
              .formatted(name, given, length, IpPrefix.of(given, length).first()));
    }
    return given;
  }

  /** Whether a node may have this subnet. */
  boolean allows(IpPrefix subnet) {
    return subnet.length() == length
        && subnet.isV4() == network.isV4()
        && subnet.first().compareTo(min) >= 0
        && subnet.first().compareTo(max) <= 0;
  }

  /** The first subnets that overlap none of these. */
  List<IpPrefix> free(Collection<IpPrefix> taken, int most) {
    Set<IpPrefix> same = new HashSet<>();
    List<IpPrefix> others = new ArrayList<>();
    taken.forEach(it -> (it.length() == length ? same : others).add(it));
    List<IpPrefix> free = new ArrayList<>();
    IpPrefix subnet = IpPrefix.of(min, length);
    while (true) {
      IpPrefix candidate = subnet;
      if (!same.contains(candidate) && others.stream().noneMatch(candidate::overlaps)) {
        free.add(candidate);
      }
      // Compared before the step: the last subnet may end where the address space does.
      if (free.size() == most || candidate.first().compareTo(max) >= 0) {
        return free;
      }
      subnet = IpPrefix.of(candidate.last().next(), length);
    }
  }

  @Override
  public String toString() {
    return "%s–%s/%d".formatted(min, max, length);
  }
}
