package io.ocicat.agent.kernel;

import io.ocicat.agent.nft.PolicyTable;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Generation;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableFlag;
import io.ocicat.netlink.nft.Tables;
import java.util.List;
import java.util.Optional;

/**
 * The filter's table as such: whether it exists, whether it belongs to our socket, and transactions
 * that change it. For one thread.
 */
final class FilterTable {
  private static final Table PLAIN = Table.of(PolicyTable.ID);
  private static final Table OWNED = PLAIN.withFlags(TableFlag.OWNER, TableFlag.PERSIST);

  private final NetlinkSocket net;
  private boolean ownable = true;
  private boolean owned;
  private boolean exists;
  private int generation;

  FilterTable(NetlinkSocket net) {
    this.net = net;
  }

  /** Leaves the table open to others, as kernels do that know no owners of tables. */
  void share() {
    ownable = false;
  }

  /** Whether nobody else can change it. */
  boolean isOwned() {
    return owned;
  }

  boolean exists() {
    return exists;
  }

  /** Whether a transaction, perhaps ours, may have changed what we know. */
  boolean isChangedBy(Generation current) {
    return !owned && current.id() != generation;
  }

  /** Looks for the table. One whose socket was closed becomes ours before anybody changes it. */
  void read() {
    Optional<Table> there = net.find(Tables.get(PolicyTable.ID));
    exists = there.isPresent();
    // The table of a closed socket is left with the second flag alone.
    owned = there.filter(one -> !one.flags().isEmpty()).isPresent();
    if (owned) {
      own();
    }
    generation = net.find(Generation.current()).map(Generation::id).orElse(0);
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

  /** Adds the table, in place of the one that exists. */
  void addTo(FilterTransaction out) {
    if (exists) {
      out.table(Tables.delete(PolicyTable.ID));
    }
    out.table(Tables.add(ownable ? OWNED : PLAIN));
    out.then(
        () -> {
          exists = true;
          owned = ownable;
        });
  }

  /**
   * Makes the changes if nobody else has changed anything.
   *
   * @throws NetlinkException ERESTART when somebody has
   */
  List<RequestOutcome.Failed> transact(FilterTransaction transaction) {
    List<RequestOutcome> outcomes =
        owned
            ? net.tryTransact(transaction.requests())
            : net.tryTransactIf(generation, transaction.requests());
    List<RequestOutcome.Failed> failures =
        outcomes.stream()
            .filter(RequestOutcome.Failed.class::isInstance)
            .map(RequestOutcome.Failed.class::cast)
            .toList();
    if (failures.isEmpty()) {
      generation++;
    }
    return failures;
  }

  /** Whether an older kernel refused the owner, so that the table can be added without. */
  boolean canDoWithoutOwner(FilterTransaction transaction, List<RequestOutcome.Failed> failures) {
    if (!ownable || failures.stream().noneMatch(one -> transaction.isAboutTable(one.request()))) {
      return false;
    }
    ownable = false;
    return true;
  }
}
