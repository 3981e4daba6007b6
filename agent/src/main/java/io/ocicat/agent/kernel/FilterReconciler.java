package io.ocicat.agent.kernel;

import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.filter.FilterChanges;
import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.filter.WorkloadFilter;
import io.ocicat.agent.nft.FilterLinks;
import io.ocicat.agent.nft.PolicyTable;
import io.ocicat.agent.nft.RenderedTable;
import io.ocicat.agent.nft.TableRenderer;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Generation;
import io.ocicat.netlink.nft.TableId;
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
  /** Each attempt either is overtaken by others or closes a rule list. */
  private static final int ATTEMPTS = 100;

  private static final int NAMED_IN_LOG = 5;

  private record InForce(WorkloadFilter filter, int link) {}

  private final NetlinkSocket net;
  private final FilterTable table;
  private final DesiredFilter desired;
  private final FilterLinkTable links;
  private final RepairLog log;
  private final TableRenderer renderer = new TableRenderer();
  private final MemberSetReconciler members;
  private final AppliedFilter applied;

  /** One key, for the table as a whole. */
  private final PendingKeys<TableId> pending;

  private boolean takingOver;
  private boolean isRead;
  private boolean structureChanged = true;
  private boolean rebuild;
  private String otherProcess = "";
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
    this.table = new FilterTable(netfilter);
    this.desired = desired;
    this.links = new FilterLinkTable(desired, links);
    this.log = log;
    this.members = new MemberSetReconciler(desired);
    this.applied = new AppliedFilter(members);
    this.pending = new PendingKeys<>(nanoTime);
    pending.now(PolicyTable.ID);
  }

  /** Deletes Felix's tables in the transaction that puts ours into force. */
  public void takeOver() {
    takingOver = true;
  }

  /** Leaves the table open to others, as kernels do that know no owners of tables. */
  void shareTable() {
    table.share();
  }

  /** A link or an address came, changed or went. */
  public void linksChanged() {
    pending.now(PolicyTable.ID);
  }

  /** Reads the table again before the next comparison, unless nobody else can have changed it. */
  public void resync() {
    if (!table.isOwned()) {
      isRead = false;
      pending.now(PolicyTable.ID);
    }
  }

  /** The kernel reports a transaction, perhaps ours. */
  public void changed(Generation current) {
    if (table.isChangedBy(current)) {
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
    RenderedTable wanted = rendered;
    if (wanted == null || structureChanged) {
      wanted = renderer.render(desired, resolved, members).orElseThrow();
      rendered = wanted;
    }
    if (!isRead) {
      read(wanted);
    }
    FilterTransaction transaction = difference(wanted);
    if (transaction.requests().isEmpty()) {
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
    return isMade(transaction);
  }

  private static String some(List<String> touched) {
    return touched.size() <= NAMED_IN_LOG
        ? String.join(", ", touched)
        : "%s and %d more"
            .formatted(
                String.join(", ", touched.subList(0, NAMED_IN_LOG)), touched.size() - NAMED_IN_LOG);
  }

  private boolean isMade(FilterTransaction transaction) {
    List<RequestOutcome.Failed> failures;
    try {
      failures = table.transact(transaction);
    } catch (NetlinkException e) {
      if (e.is(Errno.ERESTART)) {
        isRead = false;
        structureChanged = true;
        return false;
      }
      throw e;
    }
    if (!failures.isEmpty()) {
      if (!table.canDoWithoutOwner(transaction, failures)) {
        failures.forEach(failure -> refuse(transaction, failure));
      }
      return false;
    }
    writes += transaction.requests().size();
    lastRuleOperations = transaction.ruleOperations();
    succeeded(transaction);
    return true;
  }

  /** Closes the rule list that the request came from; throws when it came from none. */
  private void refuse(FilterTransaction transaction, RequestOutcome.Failed failure) {
    RuleListId list = transaction.origin(failure.request()).orElseThrow(failure::cause);
    if (!renderer.refused().containsKey(list)) {
      renderer.refuse(list, String.valueOf(failure.cause().getMessage()));
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
    rebuild = false;
    structureChanged = false;
  }

  /** The kernel's table becomes what we know. */
  private void read(RenderedTable wanted) {
    table.read();
    applied.replace(table.exists() ? InstalledFilter.read(net) : InstalledFilter.none(), wanted);
    rebuild |= !applied.isUpdatable(wanted);
    isRead = true;
  }

  private FilterTransaction difference(RenderedTable wanted) {
    FilterTransaction out = new FilterTransaction();
    if (rebuild || !table.exists()) {
      table.addTo(out);
      applied.replace(InstalledFilter.none(), wanted);
      structureChanged = true;
    }
    if (structureChanged) {
      removeFelix(out);
      applied.addDifference(wanted, out);
    }
    members.addMembers(out);
    return out;
  }

  private void removeFelix(FilterTransaction out) {
    if (takingOver) {
      for (TableId other : FelixTables.in(net)) {
        out.removeTable(other);
        out.then(() -> log.write("removed Felix's table %s".formatted(other)));
      }
      out.then(() -> takingOver = false);
    }
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
    renderer
        .unreachable()
        .forEach(
            tier ->
                problems.add(
                    "tier %s: too many tiers with Pass rules come before it, so it denies everything"
                        .formatted(tier)));
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
