package io.ocicat.agent.kernel;

import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.filter.FilterChanges;
import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.filter.WorkloadFilter;
import io.ocicat.agent.nft.ChainContent;
import io.ocicat.agent.nft.FilterLinks;
import io.ocicat.agent.nft.PolicyTable;
import io.ocicat.agent.nft.RenderedChain;
import io.ocicat.agent.nft.RenderedTable;
import io.ocicat.agent.nft.TableRenderer;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Generation;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableFlag;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
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
 * Brings the kernel's packet filter to a {@link DesiredFilter}. It reads the table once, at the
 * start; from then on it knows what the kernel has and sends the difference that a change makes, in
 * one transaction: packets meet the old rules or the new ones, and a link whose rules are not there
 * yet is closed.
 *
 * <p>Where the kernel permits it, the table belongs to the socket and nobody else can change it.
 * Elsewhere the table is read again after a transaction of somebody else, and repaired.
 *
 * <p>A rule list that the kernel refuses denies everything, with a problem that names it; the rest
 * goes into force. For one thread.
 */
public final class FilterReconciler {
  /** The tables of Felix, whose rules ours replace. */
  private static final List<TableId> FELIX =
      List.of(
          new TableId(TableFamily.IP, "calico"),
          new TableId(TableFamily.IP6, "calico"),
          new TableId(TableFamily.ARP, "calico-arp"));

  private static final Table PLAIN = Table.of(PolicyTable.ID);
  private static final Table OWNED = PLAIN.withFlags(TableFlag.OWNER, TableFlag.PERSIST);

  /** Each attempt either is overtaken by others or closes a rule list. */
  private static final int ATTEMPTS = 100;

  private static final int NAMED_IN_LOG = 5;

  private record InForce(WorkloadFilter filter, int link) {}

  private final NetlinkSocket net;
  private final DesiredFilter desired;
  private final FilterLinkTable links;
  private final RepairLog log;
  private final TableRenderer renderer = new TableRenderer();
  private final MemberSetReconciler members;

  /** One key, for the table as a whole. */
  private final PendingKeys<TableId> pending;

  private boolean takingOver;
  private boolean ownable = true;
  private boolean owned;
  private boolean isRead;
  private boolean exists;
  private boolean structureChanged = true;
  private boolean rebuild;
  private int generation;
  private String otherProcess = "";
  private final Map<String, ChainContent> chains = new HashMap<>();
  private final Map<NamedSet, Set<Element>> sets = new HashMap<>();
  private final Set<String> setNames = new HashSet<>();
  private @Nullable RenderedTable rendered;
  private FilterLinks resolved = FilterLinkTable.NONE;
  private Map<String, InForce> inForce = Map.of();
  private @Nullable String problem;
  private final Set<RuleListId> reported = new HashSet<>();
  private long writes;
  private int lastRuleOperations;

  public FilterReconciler(
      NetlinkSocket netfilter,
      DesiredFilter desired,
      LinkTable links,
      RepairLog log,
      LongSupplier nanoTime) {
    this.net = netfilter;
    this.desired = desired;
    this.links = new FilterLinkTable(desired, links);
    this.log = log;
    this.members = new MemberSetReconciler(desired);
    this.pending = new PendingKeys<>(nanoTime);
    pending.now(PolicyTable.ID);
  }

  /** Deletes Felix's tables in the transaction that puts ours into force. */
  public void takeOver() {
    takingOver = true;
  }

  /** Leaves the table open to others, as kernels do that know no owners of tables. */
  void shareTable() {
    ownable = false;
  }

  /** A link or an address came, changed or went. */
  public void linksChanged() {
    pending.now(PolicyTable.ID);
  }

  /** Reads the table again before the next comparison, unless nobody else can have changed it. */
  public void resync() {
    if (!owned) {
      isRead = false;
      pending.now(PolicyTable.ID);
    }
  }

  /** The kernel reports a transaction, perhaps ours. */
  public void changed(Generation current) {
    if (!owned && current.id() != generation) {
      isRead = false;
      otherProcess = current.process();
      pending.soon(PolicyTable.ID);
    }
  }

  /** Makes the changes that are due. */
  public void apply() {
    note(desired.takeChanges());
    if (desired.settings().isEmpty() || pending.take().isEmpty()) {
      return;
    }
    FilterLinks now = links.resolve();
    structureChanged |= !now.equals(resolved);
    resolved = now;
    try {
      for (int attempt = 0; !isDone(); attempt++) {
        if (attempt == ATTEMPTS) {
          throw new NetlinkException(
              "change table " + PolicyTable.ID, Errno.ERESTART, "others keep changing nf_tables");
        }
      }
      problem = null;
      pending.succeeded(PolicyTable.ID);
    } catch (NetlinkException e) {
      // What the kernel has may not be what we think: read it, and if that does not help, replace
      // it as a whole.
      rebuild = problem != null;
      isRead = false;
      String message = String.valueOf(e.getMessage());
      if (!message.equals(problem)) {
        log.write(message);
      }
      problem = message;
      pending.retry(PolicyTable.ID);
    }
    reportRefusals();
  }

  private void note(FilterChanges changes) {
    if (changes.isEmpty()) {
      return;
    }
    pending.now(PolicyTable.ID);
    renderer.forget(changes);
    Set<MemberSetId> moved = members.note(changes);
    moved.forEach(renderer::forget);
    structureChanged |=
        changes.settings()
            || !changes.workloads().isEmpty()
            || !changes.hosts().isEmpty()
            || !changes.ruleLists().isEmpty()
            || !changes.sets().isEmpty()
            || !moved.isEmpty();
  }

  /** Makes the difference; false when it must be computed again. */
  private boolean isDone() {
    boolean repairing = !isRead && rendered != null && !structureChanged;
    if (!isRead) {
      structureChanged = true;
    }
    RenderedTable table = rendered;
    if (table == null || structureChanged) {
      table = renderer.render(desired, resolved, members).orElseThrow();
      rendered = table;
    }
    if (!isRead) {
      read(table);
    }
    FilterTransaction transaction = difference(table);
    List<NetlinkRequest> requests = transaction.requests();
    if (requests.isEmpty()) {
      succeeded(transaction);
      return true;
    }
    if (repairing) {
      log.write(
          "table %s was changed by %s: restored %s"
              .formatted(
                  PolicyTable.ID,
                  otherProcess.isEmpty() ? "somebody else" : otherProcess,
                  some(transaction.touched())));
    }
    return isMade(transaction, requests);
  }

  private static String some(List<String> touched) {
    return touched.size() <= NAMED_IN_LOG
        ? String.join(", ", touched)
        : "%s and %d more"
            .formatted(
                String.join(", ", touched.subList(0, NAMED_IN_LOG)), touched.size() - NAMED_IN_LOG);
  }

  private boolean isMade(FilterTransaction transaction, List<NetlinkRequest> requests) {
    List<RequestOutcome> outcomes;
    try {
      outcomes = owned ? net.tryTransact(requests) : net.tryTransactIf(generation, requests);
    } catch (NetlinkException e) {
      if (e.is(Errno.ERESTART)) {
        isRead = false;
        structureChanged = true;
        return false;
      }
      throw e;
    }
    List<RequestOutcome.Failed> failures =
        outcomes.stream()
            .filter(RequestOutcome.Failed.class::isInstance)
            .map(RequestOutcome.Failed.class::cast)
            .toList();
    if (!failures.isEmpty()) {
      canTryAgain(transaction, failures);
      return false;
    }
    generation++;
    writes += requests.size();
    lastRuleOperations = transaction.ruleOperations();
    succeeded(transaction);
    return true;
  }

  /** Throws unless what was refused can be left out. */
  private void canTryAgain(FilterTransaction transaction, List<RequestOutcome.Failed> failures) {
    if (!exists
        && ownable
        && failures.stream().anyMatch(one -> transaction.isAboutTable(one.request()))) {
      ownable = false;
      return;
    }
    for (RequestOutcome.Failed failure : failures) {
      RuleListId list = transaction.origin(failure.request()).orElseThrow(failure::cause);
      if (!renderer.refused().containsKey(list)) {
        renderer.refuse(list, String.valueOf(failure.cause().getMessage()));
      }
    }
    structureChanged = true;
  }

  private void succeeded(FilterTransaction transaction) {
    transaction.succeeded();
    Map<String, InForce> now = new HashMap<>();
    resolved
        .workloads()
        .forEach(
            (name, index) -> {
              WorkloadFilter filter = desired.workloads().get(name);
              if (filter != null) {
                now.put(name, new InForce(filter, index));
              }
            });
    inForce = now;
    exists = true;
    owned |= ownable && transaction.makesTable();
    rebuild = false;
    structureChanged = false;
  }

  /** The kernel's table becomes what we know; a table without its socket becomes ours first. */
  private void read(RenderedTable table) {
    Optional<Table> there = net.find(Tables.get(PolicyTable.ID));
    exists = there.isPresent();
    // The table of a closed socket is left with the second flag alone.
    owned = there.filter(one -> !one.flags().isEmpty()).isPresent();
    if (owned) {
      own();
    }
    generation = net.find(Generation.current()).map(Generation::id).orElse(0);
    InstalledFilter installed = exists ? InstalledFilter.read(net) : InstalledFilter.none();
    chains.clear();
    chains.putAll(installed.chains());
    sets.clear();
    installed.sets().values().forEach(one -> sets.put(one.set(), one.elements()));
    setNames.clear();
    setNames.addAll(installed.sets().keySet());
    members.adopt(installed.sets(), table.members());
    rebuild |= exists && !isUpdatable(table);
    isRead = true;
  }

  private void own() {
    try {
      net.transact(Tables.add(OWNED));
    } catch (NetlinkException e) {
      throw e.is(Errno.EPERM)
          ? new NetlinkException(
              e.operation(), Errno.EPERM, "it belongs to another process: is an agent running?")
          : e;
    }
  }

  /** Whether what has our names is what we mean by them. */
  private boolean isUpdatable(RenderedTable table) {
    boolean chainsFit =
        table.chains().values().stream()
            .allMatch(
                chain -> {
                  ChainContent there = chains.get(chain.name());
                  return there == null || there.chain().equals(chain.content().chain());
                });
    Set<NamedSet> wanted = new HashSet<>(table.sets().keySet());
    table.members().forEach(id -> members.sets(id).forEach(wanted::add));
    return chainsFit
        && wanted.stream()
            .allMatch(set -> !setNames.contains(set.id().name()) || sets.containsKey(set));
  }

  private FilterTransaction difference(RenderedTable table) {
    FilterTransaction out = new FilterTransaction();
    if (rebuild) {
      out.table(Tables.add(tableToAdd()));
      out.table(Tables.delete(PolicyTable.ID));
    }
    if (rebuild || !exists) {
      out.table(Tables.add(tableToAdd()));
      chains.clear();
      sets.clear();
      setNames.clear();
      members.adopt(Map.of(), table.members());
      structureChanged = true;
    }
    if (structureChanged) {
      removeFelix(out);
      addChains(table, out);
      addSets(table, out);
      members.addSets(table.members(), out);
      removeSets(table, out);
    }
    members.addMembers(out);
    return out;
  }

  private Table tableToAdd() {
    return ownable ? OWNED : PLAIN;
  }

  private void removeFelix(FilterTransaction out) {
    if (takingOver) {
      for (TableId table : FELIX) {
        if (net.find(Tables.get(table)).isPresent()) {
          out.removeTable(table);
          out.then(() -> log.write("removed Felix's table %s".formatted(table)));
        }
      }
      out.then(() -> takingOver = false);
    }
  }

  private void addChains(RenderedTable table, FilterTransaction out) {
    for (RenderedChain chain : table.chains().values()) {
      ChainContent there = chains.get(chain.name());
      if (there == null) {
        out.addChain(chain);
      } else if (!there.equals(chain.content())) {
        out.replaceRules(chain);
      }
    }
    chains.forEach(
        (name, content) -> {
          if (!table.chains().containsKey(name)) {
            out.removeChain(content.chain().id());
          }
        });
    out.then(
        () -> {
          chains.clear();
          table.chains().forEach((name, chain) -> chains.put(name, chain.content()));
        });
  }

  private void addSets(RenderedTable table, FilterTransaction out) {
    table
        .sets()
        .forEach(
            (set, elements) -> {
              Set<Element> there = sets.get(set);
              if (there == null) {
                out.addSet(set);
                there = Set.of();
              }
              Set<Element> before = there;
              out.removeElements(
                  set, before.stream().filter(one -> !elements.contains(one)).toList());
              out.addElements(set, elements.stream().filter(one -> !before.contains(one)).toList());
            });
    out.then(
        () -> {
          sets.clear();
          sets.putAll(table.sets());
        });
  }

  private void removeSets(RenderedTable table, FilterTransaction out) {
    Set<String> wanted = new HashSet<>(members.names(table.members()));
    table.sets().keySet().forEach(set -> wanted.add(set.id().name()));
    for (String name : setNames) {
      if (!wanted.contains(name)) {
        out.removeSet(PolicyTable.ID.set(name));
      }
    }
    out.then(
        () -> {
          setNames.clear();
          setNames.addAll(wanted);
        });
  }

  private void reportRefusals() {
    Map<RuleListId, String> refused = renderer.refused();
    reported.retainAll(refused.keySet());
    refused.forEach(
        (list, reason) -> {
          if (reported.add(list)) {
            log.write(refusal(list, reason));
          }
        });
  }

  private static String refusal(RuleListId list, String reason) {
    return "%s: its rules cannot be written, so it denies everything: %s".formatted(list, reason);
  }

  /** Whether the rules of the workload with this interface are in the kernel, for its link. */
  public boolean isInForce(String interfaceName) {
    InForce now = inForce.get(interfaceName);
    return now != null
        && now.filter().equals(desired.workloads().get(interfaceName))
        && links.isLink(interfaceName, now.link());
  }

  /** What is not as desired, and why: one line each. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    Optional.ofNullable(problem).ifPresent(problems::add);
    renderer.refused().forEach((list, reason) -> problems.add(refusal(list, reason)));
    return problems;
  }

  /** When something is due next, by the clock of {@code nanoTime}. */
  public OptionalLong next() {
    return pending.next();
  }

  /** How many requests were sent to the kernel so far. */
  public long writes() {
    return writes;
  }

  /** How many rules the last transaction added, and how many chains it emptied. */
  int lastRuleOperations() {
    return lastRuleOperations;
  }
}
