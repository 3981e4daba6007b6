package io.ocicat.plugins.iptables;

import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.ChainPriority;
import io.ocicat.netlink.nft.ChainType;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.Hook;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.Statement;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The {@code filter} table of iptables-nft in nf_tables. It is read and written without the
 * command, in a form that the command recognises as its own.
 */
public final class NftTable {
  /** The chain of forwarded packets, which iptables always has. */
  public static final String FORWARD = "FORWARD";

  private final NetlinkSocket netfilter;
  private final TableId id;

  public NftTable(NetlinkSocket netfilter, IpFamily family) {
    this.netfilter = netfilter;
    this.id = new TableId(family == IpFamily.V4 ? TableFamily.IP : TableFamily.IP6, "filter");
  }

  /** The current rules of these chains. */
  public TableDraft read(Collection<String> chains) {
    TableDraft draft = new TableDraft();
    for (String name : chains) {
      ChainId chain = id.chain(name);
      if (netfilter.find(Chains.get(chain)).isPresent()) {
        draft.present(
            name,
            netfilter.list(Rules.in(chain)).stream()
                .map(rule -> new TableDraft.Entry(rule.handle(), NftForm.read(rule), rule.note()))
                .toList());
      }
    }
    return draft;
  }

  /** The requests that apply the draft, for a transaction that depends on what was read. */
  public List<NetlinkRequest> requests(TableDraft draft) {
    List<NetlinkRequest> requests = new ArrayList<>();
    for (TableDraft.Change change : draft.changes()) {
      switch (change) {
        case TableDraft.Change.NewChain(String name) -> {
          requests.add(Tables.add(Table.of(id)));
          requests.add(Chains.add(chain(name)));
        }
        case TableDraft.Change.Insert(String chain, IptablesRule rule) ->
            requests.add(Rules.insert(rule(chain, rule)));
        case TableDraft.Change.Append(String chain, IptablesRule rule, String note) ->
            requests.add(Rules.append(rule(chain, rule).withNote(note)));
        case TableDraft.Change.Note(String chain, long handle, IptablesRule rule, String note) ->
            requests.add(Rules.replace(handle, rule(chain, rule).withNote(note)));
        case TableDraft.Change.Delete(String chain, long handle, IptablesRule _) ->
            requests.add(Rules.delete(id.chain(chain), handle));
      }
    }
    return requests;
  }

  private Chain chain(String name) {
    ChainId chain = id.chain(name);
    return name.equals(FORWARD)
        ? Chain.base(chain, ChainType.FILTER, Hook.FORWARD, ChainPriority.FILTER)
        : Chain.regular(chain);
  }

  private Rule rule(String chain, IptablesRule rule) {
    return Rule.of(id.chain(chain), Statement.expressions(rule.toString(), NftForm.write(rule)));
  }

  @Override
  public String toString() {
    return "table " + id;
  }
}
