package io.ocicat.plugins.bridge;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Interface;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.Result;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.ChainPriority;
import io.ocicat.netlink.nft.ChainType;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.DataType;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.Hook;
import io.ocicat.netlink.nft.Match;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.PacketField;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.netlink.nft.Statement;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.netlink.nft.Value;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.VethPair;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Drops frames from containers that do not carry their assigned hardware address ({@code
 * macspoofchk}).
 *
 * <p>One rule covers all containers, in a table of our own: a frame that enters through a guarded
 * port must have the port's address. A container is an element in each of two sets, with the owner
 * as comment, so the cost per packet does not depend on the number of containers. The Go plugin has
 * two chains for each container and tests every packet against every port.
 */
final class SpoofCheck {
  static final TableId TABLE = new TableId(TableFamily.BRIDGE, "ocicat_macspoofchk");
  private static final ChainId CHAIN = TABLE.chain("prerouting");
  private static final NamedSet GUARDED = NamedSet.set(TABLE.set("guarded"), DataType.IFNAME);
  private static final NamedSet ALLOWED =
      NamedSet.set(TABLE.set("allowed"), DataType.IFNAME, DataType.ETHER_ADDR);

  private SpoofCheck() {}

  /** From now on the port accepts only frames from that address. */
  static void install(NetnsSockets host, AttachmentOwner owner, VethPair.End port, MacAddress mac) {
    List<NetlinkRequest> elements =
        List.of(
            Elements.add(GUARDED, guard(port.name()).withComment(owner.label())),
            Elements.add(ALLOWED, permit(port.name(), mac).withComment(owner.label())));
    try {
      host.netfilter().transact(elements);
    } catch (NetlinkException e) {
      if (!e.is(Errno.ENOENT)) {
        throw e;
      }
      // The first one on this host: create the table first.
      host.netfilter().transact(foundation());
      host.netfilter().transact(elements);
    }
  }

  /** Creates the table with its rule; a concurrent call may have created it already. */
  private static List<NetlinkRequest> foundation() {
    return List.of(
        Tables.add(Table.of(TABLE).withComment("ocicat: hardware addresses of containers")),
        Sets.add(GUARDED),
        Sets.add(ALLOWED),
        Chains.add(
            Chain.base(CHAIN, ChainType.FILTER, Hook.PREROUTING, ChainPriority.BRIDGE_DSTNAT)),
        Rules.flush(CHAIN),
        Rules.append(
            Rule.of(
                CHAIN,
                Match.in(GUARDED, PacketField.IIFNAME),
                Match.notIn(ALLOWED, PacketField.IIFNAME, PacketField.ETHER_SADDR),
                Statement.drop())));
  }

  private static Element guard(String port) {
    return Element.of(Value.interfaceName(port));
  }

  private static Element permit(String port, MacAddress mac) {
    return Element.of(Value.interfaceName(port), Value.mac(mac));
  }

  /**
   * Removes a container.
   *
   * @param previous the result of ADD, if available: it names the port, so that an unguarded
   *     container needs no search through all guarded ones
   */
  static void remove(NetnsSockets host, AttachmentOwner owner, Optional<Result> previous) {
    if (!host.hasNfTables()) {
      return;
    }
    boolean named = previous.filter(result -> !result.interfaces().isEmpty()).isPresent();
    if (!named || previous.stream().anyMatch(result -> isGuarded(host, result))) {
      removeWhere(host.netfilter(), label -> label.equals(owner.label()));
    }
    GoSpoofCheck.remove(host, owner);
  }

  private static boolean isGuarded(NetnsSockets host, Result result) {
    return result.interfaces().stream()
        .filter(Interface::isOnHost)
        .map(Interface::name)
        .filter(BridgeConf::isLinkName)
        .anyMatch(port -> host.netfilter().find(Elements.get(GUARDED, guard(port))).isPresent());
  }

  /** Removes the network's containers that are not among the valid ones. */
  static void collect(NetnsSockets host, NetworkName network, Set<Attachment> valid) {
    if (!host.hasNfTables()) {
      return;
    }
    Set<String> kept =
        valid.stream()
            .flatMap(attachment -> AttachmentOwner.of(network, attachment).stream())
            .map(AttachmentOwner::label)
            .collect(Collectors.toSet());
    String ours = AttachmentOwner.labelPrefix(network);
    removeWhere(host.netfilter(), label -> label.startsWith(ours) && !kept.contains(label));
    GoSpoofCheck.collect(host);
  }

  private static void removeWhere(NetlinkSocket nft, Predicate<String> label) {
    List<NetlinkRequest> requests = new ArrayList<>();
    for (Element allowed : nft.list(Elements.in(ALLOWED).noneWhen(Errno.ENOENT))) {
      if (label.test(allowed.comment())) {
        requests.add(Elements.delete(ALLOWED, allowed));
        requests.add(Elements.delete(GUARDED, Element.of(allowed.first().getFirst())));
      }
    }
    nft.transact(requests);
  }

  /**
   * Checks that the container is still restricted to its address.
   *
   * @throws CniException when it is not
   */
  static void verify(NetnsSockets host, String port, MacAddress mac) {
    NetlinkSocket nft = host.netfilter();
    boolean guarded =
        !nft.list(Rules.in(CHAIN)).isEmpty()
            && nft.find(Elements.get(GUARDED, guard(port))).isPresent()
            && nft.find(Elements.get(ALLOWED, permit(port, mac))).isPresent();
    if (!guarded && !GoSpoofCheck.guards(host, port)) {
      throw new CniException(
          ErrorCode.INTERNAL,
          "macspoofchk: nothing keeps \"%s\" to the hardware address %s".formatted(port, mac),
          "the rules in table %s are gone: run DEL and ADD".formatted(TABLE));
    }
  }
}
