package io.ocicat.netlink.link;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The kind of a link, with the options of that kind. Unset options (null, or not in the map) are
 * left to the kernel when a link is created and left unchanged when it is changed; read from the
 * kernel all are set. Indexes and ports of 0 mean none.
 */
public sealed interface LinkKind {
  /** The kernel's name. */
  default String kind() {
    return switch (this) {
      case Veth _ -> "veth";
      case Bridge _ -> "bridge";
      case Macvlan _ -> "macvlan";
      case Vxlan _ -> "vxlan";
      case Ipip _ -> "ipip";
      case Ifb _ -> "ifb";
      case Dummy _ -> "dummy";
      case Vlan _ -> "vlan";
    };
  }

  /**
   * One end of a veth pair.
   *
   * @param peer the other end, created by the same message, in another namespace if it says so. It
   *     cannot be created up: the kernel would ask it for its peer before there is one, return
   *     ENOTCONN and take 15 ms to undo everything. A master or an alias would be ignored.
   */
  record Veth(LinkSettings peer) implements LinkKind {
    public Veth {
      if (peer.isUp() || peer.mention(Rtnl.MASTER) || peer.mention(Rtnl.IFALIAS)) {
        throw new IllegalArgumentException(
            "the peer of a new veth can have neither up, master nor alias (%s): set them afterwards"
                .formatted(peer));
      }
    }
  }

  /**
   * A bridge.
   *
   * @param defaultPvid the VLAN of untagged frames on new ports; 0 for none
   */
  record Bridge(
      Map<BridgeOption, Boolean> options,
      @Nullable Integer defaultPvid,
      @Nullable Duration forwardDelay,
      @Nullable Duration ageing)
      implements LinkKind {
    public Bridge {
      options = Map.copyOf(options);
      if (defaultPvid != null && (defaultPvid < 0 || defaultPvid > BridgeVlan.LAST_ID)) {
        throw new IllegalArgumentException(
            "default pvid " + defaultPvid + " is not in 0–" + BridgeVlan.LAST_ID);
      }
    }

    /** With the kernel's defaults. */
    public Bridge() {
      this(Map.of(), null, null, null);
    }

    public Bridge with(BridgeOption option, boolean on) {
      return new Bridge(Toggle.with(options, option, on), defaultPvid, forwardDelay, ageing);
    }

    public boolean is(BridgeOption option) {
      return options.getOrDefault(option, false);
    }

    public Bridge withDefaultPvid(int vlan) {
      return new Bridge(options, vlan, forwardDelay, ageing);
    }

    public Bridge withForwardDelay(Duration delay) {
      return new Bridge(options, defaultPvid, delay, ageing);
    }

    /** How long a learnt address is kept; with zero none is, and everything is flooded. */
    public Bridge withAgeing(Duration time) {
      return new Bridge(options, defaultPvid, forwardDelay, time);
    }
  }

  /**
   * A link with an address of its own on another link.
   *
   * @param parent the other link; in the namespace of the socket, wherever this one is created
   * @param broadcastQueue how many broadcast frames may wait; 0 leaves it to the kernel
   * @param sources in mode SOURCE, the addresses it receives from
   */
  record Macvlan(int parent, Mode mode, int broadcastQueue, List<MacAddress> sources)
      implements LinkKind {
    /** linux/if_link.h, enum macvlan_mode. */
    public enum Mode {
      /** Cannot reach others on the same parent. */
      PRIVATE(1),
      /** Reaches others on the same parent through the external switch. */
      VEPA(2),
      BRIDGE(4),
      /** The only one on its parent, which it takes over. */
      PASSTHRU(8),
      /** Receives from a list of addresses. */
      SOURCE(16);

      final int number;

      Mode(int number) {
        this.number = number;
      }
    }

    public Macvlan {
      sources = List.copyOf(sources);
    }

    public Macvlan(int parent, Mode mode) {
      this(Rtnl.positive(parent), mode, 0, List.of());
    }

    public Macvlan withBroadcastQueue(int frames) {
      return new Macvlan(parent, mode, frames, sources);
    }

    public Macvlan withSources(List<MacAddress> addresses) {
      return new Macvlan(parent, mode, broadcastQueue, addresses);
    }
  }

  /**
   * Ethernet over UDP.
   *
   * @param id the network's number, of 24 bits
   * @param local the address it sends from
   * @param remote where frames without an FDB entry go: a multicast group or one host
   * @param parent the link it sends through
   * @param port of UDP; 0 is the kernel's 8472, not IANA's 4789
   * @param ttl of the packets outside; 0 leaves it to the kernel
   * @param gbp transmits the sender's mark (group-based policy)
   */
  record Vxlan(
      int id,
      @Nullable IpAddress local,
      @Nullable IpAddress remote,
      int parent,
      int port,
      int ttl,
      boolean gbp,
      Map<VxlanOption, Boolean> options)
      implements LinkKind {
    private static final int IDS = 1 << 24;

    public Vxlan {
      options = Map.copyOf(options);
      if (id < 0 || id >= IDS) {
        throw new IllegalArgumentException("vxlan id " + id + " is not in 0–" + (IDS - 1));
      }
      if (port < 0 || port > 0xffff) {
        throw new IllegalArgumentException("UDP port " + port + " is not in 0–65535");
      }
    }

    public Vxlan(int id) {
      this(id, null, null, 0, 0, 0, false, Map.of());
    }

    public Vxlan withLocal(IpAddress address) {
      return new Vxlan(id, address, remote, parent, port, ttl, gbp, options);
    }

    public Vxlan withRemote(IpAddress address) {
      return new Vxlan(id, local, address, parent, port, ttl, gbp, options);
    }

    public Vxlan withParent(int link) {
      return new Vxlan(id, local, remote, Rtnl.positive(link), port, ttl, gbp, options);
    }

    public Vxlan withPort(int udp) {
      return new Vxlan(id, local, remote, parent, udp, ttl, gbp, options);
    }

    public Vxlan withTtl(int hops) {
      return new Vxlan(id, local, remote, parent, port, hops, gbp, options);
    }

    public Vxlan withGbp() {
      return new Vxlan(id, local, remote, parent, port, ttl, true, options);
    }

    public Vxlan with(VxlanOption option, boolean on) {
      return new Vxlan(id, local, remote, parent, port, ttl, gbp, Toggle.with(options, option, on));
    }

    public boolean is(VxlanOption option) {
      return options.getOrDefault(option, false);
    }
  }

  /**
   * IPv4 in IPv4. One without addresses receives from everybody and sends to the gateway of each
   * route; the kernel makes such a one in every namespace when its module is loaded: {@code tunl0}.
   *
   * @param local the address it sends from; null leaves it to the route
   * @param remote the other end; null for any
   */
  record Ipip(@Nullable IpAddress local, @Nullable IpAddress remote) implements LinkKind {
    /** Without addresses. */
    public Ipip() {
      this(null, null);
    }
  }

  /**
   * An ifb: receives packets from {@code mirred}, so that a queueing discipline can shape incoming
   * traffic.
   */
  record Ifb() implements LinkKind {}

  /** A dummy, which drops everything: a place for addresses. */
  record Dummy() implements LinkKind {}

  /**
   * A VLAN on another link.
   *
   * @param parent as with {@link Macvlan}
   */
  record Vlan(int parent, int id, Tag tag) implements LinkKind {
    /** The Ethernet types of tags. */
    public enum Tag {
      DOT1Q(0x8100),
      DOT1AD(0x88a8);

      final int number;

      Tag(int number) {
        this.number = number;
      }
    }

    public Vlan {
      if (id < 0 || id > BridgeVlan.LAST_ID) {
        throw new IllegalArgumentException("VLAN " + id + " is not in 0–" + BridgeVlan.LAST_ID);
      }
    }

    public Vlan(int parent, int id) {
      this(Rtnl.positive(parent), id, Tag.DOT1Q);
    }
  }
}
