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
 * What the original leaves in nf_tables for {@code macspoofchk}: a jump from its {@code PREROUTING}
 * chain, with a comment by which it finds it again, and two chains named after the container.
 */
final class GoSpoofCheck {
  private static final TableId TABLE = new TableId(TableFamily.BRIDGE, "nat");
  private static final ChainId PREROUTING = TABLE.chain("PREROUTING");
  private static final String COMMENT = "macspoofchk-";
  private static final String CHAIN = "cni-br-iface-";
  private static final String MAC_CHAIN_END = "-mac";

  /** NFT_NAME_MAXLEN, without the 0 at the end. */
  private static final int LONGEST_NAME = 255;

  private GoSpoofCheck() {}

  static void remove(NetnsSockets host, AttachmentOwner owner) {
    String id = owner.container() + "-" + owner.ifName();
    if (!canExist(id)) {
      return;
    }
    NetlinkSocket nft = host.netfilter();
    // The jump needs the chain: where that is not, there is nothing.
    if (nft.find(Chains.get(chain(id))).isPresent()) {
      List<InstalledRule> jumps =
          nft.list(Rules.in(PREROUTING)).stream()
              .filter(rule -> rule.comment().equals(COMMENT + id))
              .toList();
      nft.transact(removal(id, jumps));
    }
  }

  /** The original fails to make chains that nf_tables has no names for, and makes none at all. */
  private static boolean canExist(String id) {
    int bytes = (CHAIN + id + MAC_CHAIN_END).getBytes(StandardCharsets.UTF_8).length;
    return bytes <= LONGEST_NAME;
  }

  /** Removes what is about ports that are gone: nothing else tells to which network it belonged. */
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
      // Somebody is at it too; what stays the next GC finds.
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
    // The one that leads to the other first.
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
