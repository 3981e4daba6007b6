package io.ocicat.agent.kernel;

import io.ocicat.agent.desired.TableContent;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.ElementData;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.Expression;
import io.ocicat.netlink.nft.Generation;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.SetId;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.netlink.nft.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings an nf_tables table of ours to the desired content, by one transaction that contains only
 * the difference: elements one by one, and of chains whose rules differ all rules. The old content
 * stays in force until the new one is.
 *
 * <p>The table is read at the start, and again after a transaction of somebody else: ours are told
 * from others by the generation that each of them makes. For one thread.
 */
final class TableReconciler {
  private static final int CONFLICTS = 10;

  private final TableId table;
  private final NetlinkSocket net;
  private final RepairLog log;

  /** One key, for the table as a whole. */
  private final PendingKeys<TableId> pending;

  private @Nullable TableContent applied;
  private @Nullable Actual actual;
  private int generation;
  private @Nullable String problem;
  private long writes;

  TableReconciler(TableId table, NetlinkSocket net, RepairLog log, LongSupplier nanoTime) {
    this.table = table;
    this.net = net;
    this.log = log;
    this.pending = new PendingKeys<>(nanoTime);
  }

  /** Reads the table again before the next comparison. */
  void resync() {
    actual = null;
    pending.now(table);
  }

  /** The kernel reports a transaction, perhaps ours. */
  void changed(Generation current) {
    if (current.id() != generation) {
      actual = null;
      pending.soon(table);
    }
  }

  void apply(TableContent wanted) {
    if (!wanted.equals(applied)) {
      pending.now(table);
    }
    if (pending.take().isEmpty()) {
      return;
    }
    try {
      for (int conflict = 0; !isDone(wanted); conflict++) {
        if (conflict == CONFLICTS) {
          throw new NetlinkException(
              "change table " + table, Errno.ERESTART, "others keep changing nf_tables");
        }
      }
      problem = null;
      pending.succeeded(table);
    } catch (NetlinkException e) {
      actual = null;
      String message = String.valueOf(e.getMessage());
      if (!message.equals(problem)) {
        log.write(message);
      }
      problem = message;
      pending.retry(table);
    }
  }

  /** Deletes the table, if it is there. */
  void remove() {
    applied = null;
    actual = null;
    if (pending.take().isEmpty()) {
      return;
    }
    try {
      if (net.find(Tables.get(table)).isPresent()) {
        log.write("nothing uses table %s any more: removing it".formatted(table));
        net.transact(List.of(Tables.delete(table)));
        writes++;
      }
      problem = null;
      pending.succeeded(table);
    } catch (NetlinkException e) {
      problem = String.valueOf(e.getMessage());
      pending.retry(table);
    }
  }

  /** Makes the difference; false when somebody else was faster, and it must be computed again. */
  private boolean isDone(TableContent wanted) {
    Actual there = actual;
    if (there == null) {
      generation = net.find(Generation.current()).map(Generation::id).orElse(0);
      there = read();
      actual = there;
    }
    List<NetlinkRequest> requests = difference(wanted, there);
    if (requests.isEmpty()) {
      applied = wanted;
      return true;
    }
    if (wanted.equals(applied)) {
      log.write("table %s was changed by somebody else: restored".formatted(table));
    }
    try {
      net.transactIf(generation, requests);
    } catch (NetlinkException e) {
      if (e.is(Errno.ERESTART)) {
        actual = null;
        return false;
      }
      throw e;
    }
    generation++;
    writes += requests.size();
    applied = wanted;
    actual = Actual.of(wanted);
    return true;
  }

  /** What an element is told apart by: the kernel fills in the rest. */
  private record Entry(List<Value> first, List<Value> last, ElementData data) {
    static Entry of(Element element) {
      return new Entry(element.first(), element.last(), element.data());
    }
  }

  /** The content of a table. */
  private record Actual(
      boolean exists,
      Map<SetId, Set<Entry>> sets,
      Map<ChainId, Chain> chains,
      Map<ChainId, List<List<Expression>>> rules) {
    static Actual of(TableContent content) {
      Map<SetId, Set<Entry>> sets = new HashMap<>();
      content.sets().forEach((set, elements) -> sets.put(set.id(), entries(elements)));
      Map<ChainId, Chain> chains = new HashMap<>();
      Map<ChainId, List<List<Expression>>> rules = new HashMap<>();
      content
          .chains()
          .forEach(
              (chain, list) -> {
                chains.put(TableContent.idOf(chain), chain);
                rules.put(TableContent.idOf(chain), list.stream().map(Rule::expressions).toList());
              });
      return new Actual(true, sets, chains, rules);
    }

    static Set<Entry> entries(Iterable<Element> elements) {
      Set<Entry> entries = new HashSet<>();
      elements.forEach(element -> entries.add(Entry.of(element)));
      return entries;
    }
  }

  private Actual read() {
    Map<SetId, Set<Entry>> sets = new HashMap<>();
    Map<ChainId, Chain> chains = new HashMap<>();
    Map<ChainId, List<List<Expression>>> rules = new HashMap<>();
    Optional<Table> there = net.find(Tables.get(table));
    if (there.isPresent()) {
      for (NamedSet set : net.list(Sets.in(table))) {
        sets.put(set.id(), Actual.entries(net.list(Elements.in(set).noneWhen(Errno.ENOENT))));
      }
      for (Chain chain : net.list(Chains.in(table))) {
        chains.put(TableContent.idOf(chain), chain);
        rules.put(TableContent.idOf(chain), new ArrayList<>());
      }
      for (InstalledRule rule : net.list(Rules.in(table))) {
        rules.computeIfAbsent(rule.chain(), _ -> new ArrayList<>()).add(rule.expressions());
      }
    }
    return new Actual(there.isPresent(), sets, chains, rules);
  }

  private List<NetlinkRequest> difference(TableContent wanted, Actual there) {
    List<NetlinkRequest> requests = new ArrayList<>();
    if (!there.exists()) {
      requests.add(Tables.add(Table.of(table)));
    }
    Set<ChainId> same = new HashSet<>();
    Set<ChainId> kept = new HashSet<>();
    wanted
        .chains()
        .forEach(
            (chain, rules) -> {
              ChainId id = TableContent.idOf(chain);
              if (chain.equals(there.chains().get(id))) {
                kept.add(id);
                if (expressions(rules).equals(there.rules().get(id))) {
                  same.add(id);
                }
              }
            });
    // Rules first: they refer to sets and to other chains.
    there.chains().keySet().stream()
        .filter(id -> !same.contains(id))
        .forEach(id -> requests.add(Rules.flush(id)));
    there.chains().keySet().stream()
        .filter(id -> !kept.contains(id))
        .forEach(id -> requests.add(Chains.delete(id)));
    Set<SetId> sets = new HashSet<>(there.sets().keySet());
    wanted
        .sets()
        .forEach(
            (set, elements) -> {
              sets.remove(set.id());
              changeSet(set, elements, there.sets().get(set.id()), requests);
            });
    sets.forEach(id -> requests.add(Sets.delete(id)));
    wanted
        .chains()
        .forEach(
            (chain, rules) -> {
              if (!kept.contains(TableContent.idOf(chain))) {
                requests.add(Chains.add(chain));
              }
              if (!same.contains(TableContent.idOf(chain))) {
                rules.forEach(rule -> requests.add(Rules.append(rule)));
              }
            });
    return requests;
  }

  private static List<List<Expression>> expressions(List<Rule> rules) {
    return rules.stream().map(Rule::expressions).toList();
  }

  private static void changeSet(
      NamedSet set,
      Set<Element> elements,
      @Nullable Set<Entry> there,
      List<NetlinkRequest> requests) {
    Set<Entry> superfluous = new HashSet<>(there == null ? Set.of() : there);
    List<Element> missing = new ArrayList<>();
    for (Element element : elements) {
      if (!superfluous.remove(Entry.of(element))) {
        missing.add(element);
      }
    }
    if (there == null) {
      requests.add(Sets.add(set));
    }
    // Ranges must not overlap at any moment, so what goes comes first.
    superfluous.forEach(
        entry -> requests.add(Elements.delete(set, Element.range(entry.first(), entry.last()))));
    missing.forEach(element -> requests.add(Elements.add(set, element)));
  }

  Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  OptionalLong next() {
    return pending.next();
  }

  long writes() {
    return writes;
  }
}
