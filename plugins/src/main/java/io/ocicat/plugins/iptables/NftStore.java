package io.ocicat.plugins.iptables;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.Expression;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Verdict;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rules that iptables-nft, today's default, keeps in nf_tables, in tables with iptables' names.
 */
record NftStore(NetlinkSocket netfilter, TableId table) implements RuleStore {
  /** An attempt fails only when somebody changed the same rules in between. */
  private static final int ATTEMPTS = 20;

  /** In the attributes of a match expression, which is an extension of xtables by name. */
  private static final int MATCH_NAME = 1;

  private static final int MATCH_INFO = 3;

  @Override
  public boolean has(String chain) {
    return netfilter.find(Chains.get(table.chain(chain))).isPresent();
  }

  @Override
  public List<Entry> entries() {
    return netfilter.list(Rules.in(table)).stream()
        .map(rule -> new Entry(rule.chain().name(), target(rule), comment(rule)))
        .toList();
  }

  @Override
  public List<PortRule> ports(String entry, Set<Integer> wanted) {
    Map<String, String> comments = new LinkedHashMap<>();
    for (InstalledRule leading : netfilter.list(Rules.in(table.chain(entry)))) {
      if (XtMatch.mayLeadPorts(leading.expressions(), wanted)) {
        comments.putIfAbsent(target(leading), comment(leading));
      }
    }
    List<PortRule> ports = new ArrayList<>();
    comments.forEach(
        (chain, comment) -> {
          for (InstalledRule rule : netfilter.list(Rules.in(table.chain(chain)))) {
            PortRule.of(rule).map(port -> port.withComment(comment)).ifPresent(ports::add);
          }
        });
    return ports;
  }

  @Override
  public void remove(String chain) {
    ChainId id = table.chain(chain);
    for (int attempt = 1; has(chain); attempt++) {
      List<NetlinkRequest> requests = new ArrayList<>();
      for (InstalledRule rule : netfilter.list(Rules.in(table))) {
        if (target(rule).equals(chain)) {
          requests.add(Rules.delete(rule));
        }
      }
      requests.add(Rules.flush(id));
      requests.add(Chains.delete(id));
      try {
        netfilter.transact(requests);
        return;
      } catch (NetlinkException e) {
        boolean overtaken = e.is(Errno.ENOENT) || e.is(Errno.EBUSY);
        if (!overtaken || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static String target(InstalledRule rule) {
    for (Expression expression : rule.expressions()) {
      if (expression instanceof Expression.Decide(Verdict verdict) && !verdict.chain().isEmpty()) {
        return verdict.chain();
      }
    }
    return "";
  }

  private static String comment(InstalledRule rule) {
    for (Expression expression : rule.expressions()) {
      if (expression instanceof Expression.Opaque(String name, var data) && name.equals("match")) {
        ByteBuffer bytes = ByteBuffer.wrap(data.toByteArray()).order(ByteOrder.nativeOrder());
        Attributes match = Attributes.parse(bytes);
        if (match.text(MATCH_NAME).filter("comment"::equals).isPresent()) {
          return match.text(MATCH_INFO, "");
        }
      }
    }
    return rule.comment();
  }
}
