package io.ocicat.agent.kernel;

import io.ocicat.agent.desired.Contributions;
import io.ocicat.agent.desired.Source;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings the entries of a table to the desired state, for neighbours and for forwarding entries
 * alike. For one thread.
 */
final class EntryReconciler<K, V> {
  private final NetlinkSocket net;
  private final LinkTable links;
  private final EntryTable<K, V> table;
  private final Contributions<K, V> desired;
  private final RepairLog log;
  private final PendingKeys<K> pending;
  private final Map<K, V> actual = new HashMap<>();
  private final Map<K, V> installed = new HashMap<>();
  private final Map<K, String> problems = new HashMap<>();
  private long writes;

  EntryReconciler(
      NetlinkSocket net,
      LinkTable links,
      EntryTable<K, V> table,
      Contributions<K, V> desired,
      RepairLog log,
      LongSupplier nanoTime) {
    this.net = net;
    this.links = links;
    this.table = table;
    this.desired = desired;
    this.log = log;
    this.pending = new PendingKeys<>(nanoTime);
  }

  /** Reads the table again. */
  void resync() {
    Map<K, V> read = table.read();
    Set<K> suspects = new HashSet<>(read.keySet());
    suspects.addAll(actual.keySet());
    suspects.addAll(desired.keys());
    actual.clear();
    actual.putAll(read);
    pending.now(suspects);
  }

  /** The kernel reports an entry of ours. */
  void changed(K key, V value) {
    if (!value.equals(actual.put(key, value))) {
      pending.soon(key);
    }
  }

  void removed(K key, V value) {
    if (actual.remove(key, value)) {
      pending.soon(key);
    }
  }

  /** The entry of that key, if there is one, is no longer ours. */
  void removed(K key) {
    if (actual.remove(key) != null) {
      pending.soon(key);
    }
  }

  /** A link appeared, went away, or is another one under the same name: its entries are gone. */
  void linkReplaced(String name) {
    actual.keySet().removeIf(key -> table.device(key).equals(name));
    installed.keySet().removeIf(key -> table.device(key).equals(name));
    desired.forEach(
        (key, _) -> {
          if (table.device(key).equals(name)) {
            pending.now(key);
          }
        });
  }

  /**
   * One change.
   *
   * @param value null for a deletion
   * @param repair what to log when it succeeds; null for a change that was asked for
   */
  private record Change<K, V>(
      K key, NetlinkRequest request, @Nullable V value, @Nullable String repair) {}

  /** Makes the changes that are due, in one batch. */
  void apply() {
    pending.now(desired.takeChanged());
    List<Change<K, V>> changes = new ArrayList<>();
    for (K key : pending.take()) {
      compare(key, changes);
    }
    if (changes.isEmpty()) {
      return;
    }
    List<RequestOutcome> outcomes = net.attempt(changes.stream().map(Change::request).toList());
    writes += changes.size();
    for (int i = 0; i < changes.size(); i++) {
      finish(changes.get(i), outcomes.get(i).failure().orElse(null));
    }
  }

  private void compare(K key, List<Change<K, V>> changes) {
    V wanted = desired.get(key).orElse(null);
    V there = actual.get(key);
    Link link = links.find(table.device(key)).orElse(null);
    if (link == null) {
      actual.remove(key);
      return;
    }
    if (wanted == null) {
      problems.remove(key);
      installed.remove(key);
      if (there != null) {
        changes.add(new Change<>(key, table.delete(link.index(), key, there), null, null));
      }
      return;
    }
    if (wanted.equals(there)) {
      problems.remove(key);
      pending.succeeded(key);
      installed.put(key, wanted);
      return;
    }
    String repair =
        wanted.equals(installed.get(key))
            ? "%s %s to %s of %s was %s by somebody else: restored"
                .formatted(
                    table.noun(),
                    key,
                    wanted,
                    desired.source(key).map(Source::name).orElse("?"),
                    there == null ? "removed" : "changed to " + there)
            : null;
    changes.add(new Change<>(key, table.replace(link.index(), key, wanted), wanted, repair));
  }

  private void finish(Change<K, V> change, @Nullable NetlinkException failure) {
    K key = change.key();
    V value = change.value();
    if (failure == null || (value == null && failure.is(Errno.ENOENT))) {
      problems.remove(key);
      pending.succeeded(key);
      if (change.repair() != null) {
        log.write(change.repair());
      }
      if (value == null) {
        actual.remove(key);
      } else {
        actual.put(key, value);
        installed.put(key, value);
      }
    } else if (failure.is(Errno.ENODEV)) {
      // The device is gone: its own report, which follows those of its entries, says so.
      pending.retry(key);
    } else {
      String problem = String.valueOf(failure.getMessage());
      if (!problem.equals(problems.put(key, problem))) {
        log.write(problem);
      }
      pending.retry(key);
    }
  }

  Map<K, String> problems() {
    return Map.copyOf(problems);
  }

  OptionalLong next() {
    return pending.next();
  }

  long writes() {
    return writes;
  }
}
