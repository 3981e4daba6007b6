package io.ocicat.plugins.bridge;

import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Bytes;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.Expression;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Value;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The nf_tables rules that the Go plugin creates for {@code macspoofchk}: a jump from its {@code
 * PREROUTING} chain, found again by its comment, and two chains named after the container.
 */
final class GoSpoofCheck {
  private static final TableId TABLE = new TableId(TableFamily.BRIDGE, "nat");
  private static final ChainId PREROUTING = TABLE.chain("PREROUTING");
  private static final String COMMENT = "macspoofchk-";
  private static final String CHAIN = "cni-br-iface-";
  private static final String MAC_CHAIN_END = "-mac";

  /** NFT_NAME_MAXLEN, without the terminating 0. */
  private static final int LONGEST_NAME = 255;

  private GoSpoofCheck() {}

  static void remove(NetnsSockets host, AttachmentOwner owner) {
    String id = owner.container() + "-" + owner.ifName();
    if (!canExist(id)) {
      return;
    }
    NetlinkSocket nft = host.netfilter();
    // The jump needs the chain: without the chain there is nothing to remove.
    if (nft.find(Chains.get(chain(id))).isPresent()) {
      List<InstalledRule> jumps =
          nft.list(Rules.in(PREROUTING)).stream()
              .filter(rule -> rule.comment().equals(COMMENT + id))
              .toList();
      nft.transact(removal(id, jumps));
    }
  }

  /**
   * The Go plugin fails when nf_tables rejects the chain name as too long, and then creates
   * nothing.
   */
  private static boolean canExist(String id) {
    int bytes = (CHAIN + id + MAC_CHAIN_END).getBytes(StandardCharsets.UTF_8).length;
    return bytes <= LONGEST_NAME;
  }

  /** Removes rules about ports that are gone: nothing else says which network they belonged to. */
  static void collect(NetnsSockets host) {
    NetlinkSocket nft = host.netfilter();
    List<InstalledRule> rules = nft.list(Rules.in(PREROUTING));
    Set<String> links =
        host.route().list(Links.ofKind("veth")).stream()
            .map(Link::name)
            .collect(Collectors.toSet());
    for (InstalledRule rule : rules) {
      if (rule.comment().startsWith(COMMENT)
          && links.stream().noneMatch(name -> isFor(rule, name))) {
        removeStale(nft, rule);
      }
    }
  }

  private static void removeStale(NetlinkSocket nft, InstalledRule rule) {
    try {
      nft.transact(removal(rule.comment().substring(COMMENT.length()), List.of(rule)));
    } catch (NetlinkException e) {
      // Somebody else is changing it; the next GC finds what is left.
      if (!e.is(Errno.ENOENT) && !e.is(Errno.EBUSY)) {
        throw e;
      }
    }
  }

  static boolean guards(NetnsSockets host, String port) {
    return host.netfilter().list(Rules.in(PREROUTING)).stream()
        .anyMatch(rule -> rule.comment().startsWith(COMMENT) && isFor(rule, port));
  }

  private static List<NetlinkRequest> removal(String id, List<InstalledRule> jumps) {
    List<NetlinkRequest> requests = new ArrayList<>();
    jumps.forEach(jump -> requests.add(Rules.delete(jump)));
    // The chain that jumps to the other one first.
    requests.add(Rules.flush(chain(id)));
    requests.add(Chains.delete(chain(id)));
    requests.add(Chains.delete(chain(id + MAC_CHAIN_END)));
    return requests;
  }

  private static ChainId chain(String id) {
    return TABLE.chain(CHAIN + id);
  }

  private static boolean isFor(InstalledRule rule, String port) {
    Bytes name = Value.interfaceName(port).bytes();
    return rule.expressions().stream()
        .anyMatch(
            expression ->
                expression instanceof Expression.Compare compare && compare.value().equals(name));
  }
}
