package io.ocicat.cli.doctor;

import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.conntrack.Conntrack;
import io.ocicat.netlink.conntrack.ConntrackFilter;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.ChainPriority;
import io.ocicat.netlink.nft.ChainType;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.Hook;
import io.ocicat.netlink.nft.Nat;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.netlink.ns.NetNs;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Tries in a temporary namespace whether the kernel can do what plugins need. The kernel's build
 * options say less: modules may be missing, blocked or not loadable from here.
 */
public final class KernelProbe {
  /**
   * Something the kernel should be able to do.
   *
   * @param needed whether most networks need it
   * @param option the kernel's build option for it
   */
  public record Feature(String name, boolean needed, String users, String option) {}

  /**
   * A feature that is missing.
   *
   * @param reason the kernel's error
   */
  public record Missing(Feature feature, String reason) {}

  private record Attempt(Feature feature, Runnable work) {}

  private final NetlinkSocket route;
  private final NetlinkSocket netfilter;

  private KernelProbe(NetlinkSocket route, NetlinkSocket netfilter) {
    this.route = route;
    this.netfilter = netfilter;
  }

  /** Everything that is missing; leaves nothing behind. */
  public static List<Missing> run() {
    NetNs scratch;
    try {
      scratch = NetNs.create();
    } catch (NetlinkException e) {
      Feature feature =
          new Feature("network namespaces", true, "every plugin", "CONFIG_NET_NS, CAP_SYS_ADMIN");
      return List.of(new Missing(feature, String.valueOf(e.getMessage())));
    }
    try (scratch;
        NetlinkSocket route = NetlinkSocket.open(Protocol.ROUTE, scratch)) {
      try (NetlinkSocket netfilter = NetlinkSocket.open(Protocol.NETFILTER, scratch)) {
        return new KernelProbe(route, netfilter).tryAll();
      } catch (NetlinkException e) {
        Feature feature =
            new Feature("netfilter", true, "ipMasq, portmap, firewall", "CONFIG_NETFILTER_NETLINK");
        return List.of(new Missing(feature, String.valueOf(e.getMessage())));
      }
    }
  }

  private List<Missing> tryAll() {
    List<Missing> missing = new ArrayList<>();
    for (Attempt attempt : attempts()) {
      try {
        attempt.work().run();
      } catch (NetlinkException e) {
        missing.add(new Missing(attempt.feature(), String.valueOf(e.getMessage())));
      }
    }
    return missing;
  }

  private List<Attempt> attempts() {
    return List.of(
        link("veth", true, "bridge, ptp", new LinkKind.Veth(LinkSettings.named("probe-peer"))),
        link("bridge", true, "bridge", new LinkKind.Bridge()),
        link("ifb", false, "bandwidth (ingress)", new LinkKind.Ifb()),
        link("vxlan", false, "flannel and other overlays", new LinkKind.Vxlan(1).withPort(8472)),
        new Attempt(new Feature("macvlan", false, "macvlan", "CONFIG_MACVLAN"), this::macvlan),
        new Attempt(
            new Feature(
                "nf_tables NAT", true, "ipMasq, portmap", "CONFIG_NFT_MASQ, CONFIG_NFT_NAT"),
            () -> masquerade(TableFamily.IP)),
        new Attempt(
            new Feature("nf_tables NAT for IPv6", false, "ipMasq with IPv6", "CONFIG_NFT_MASQ"),
            () -> masquerade(TableFamily.IP6)),
        new Attempt(
            new Feature("nf_tables on bridges", false, "macspoofchk", "CONFIG_NF_TABLES_BRIDGE"),
            () ->
                chain(
                    new TableId(TableFamily.BRIDGE, "probe"),
                    Hook.PREROUTING,
                    ChainPriority.BRIDGE_FILTER)),
        new Attempt(
            new Feature("connection tracking", true, "NAT, portmap", "CONFIG_NF_CT_NETLINK"),
            () -> netfilter.list(Conntrack.list(ConntrackFilter.of(IpFamily.V4)))));
  }

  private Attempt link(String kind, boolean needed, String users, LinkKind link) {
    String option = "CONFIG_" + kind.toUpperCase(Locale.ROOT);
    return new Attempt(
        new Feature(kind, needed, users, option), () -> create("probe-" + kind, link));
  }

  private void create(String name, LinkKind kind) {
    route.perform(Links.create(LinkSettings.named(name), kind));
  }

  /** Needs another link; without one the result is unknown. */
  private void macvlan() {
    route
        .find(Links.named("probe-bridge"))
        .ifPresent(
            parent ->
                create(
                    "probe-macvlan",
                    new LinkKind.Macvlan(parent.index(), LinkKind.Macvlan.Mode.BRIDGE)));
  }

  private void masquerade(TableFamily family) {
    TableId table = new TableId(family, "probe");
    ChainId chain = table.chain("probe");
    netfilter.transact(
        Tables.add(Table.of(table)),
        Chains.add(Chain.base(chain, ChainType.NAT, Hook.POSTROUTING, ChainPriority.SRCNAT)),
        Rules.append(Rule.of(chain, Nat.masquerade())));
  }

  private void chain(TableId table, Hook hook, int priority) {
    netfilter.transact(
        Tables.add(Table.of(table)),
        Chains.add(Chain.base(table.chain("probe"), ChainType.FILTER, hook, priority)));
  }
}
