package io.ocicat.daemon.liveness;

import io.ocicat.daemon.liveness.Evidence.CacheEntry;
import io.ocicat.daemon.liveness.Evidence.Inside;
import io.ocicat.daemon.liveness.Evidence.LeaseAge;
import io.ocicat.daemon.liveness.Evidence.OtherRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A machine without a kernel: namespaces, links, leases, libcni's cache and our records, as far as
 * an unrequested undo can see or harm them. Every container has one interface, {@code eth0}. {@link
 * #evidence} sees what {@link NodeEvidence} would see; {@link #harmedBy} knows what is really so.
 */
final class ModelWorld {
  /** A namespace; the kernel reuses the numbers of those that are gone. */
  static final class Namespace {
    final int inode;
    @Nullable String path;
    boolean held;
    @Nullable Link link;

    Namespace(int inode, String path) {
      this.inode = inode;
      this.path = path;
    }
  }

  /** What has the name eth0 in a namespace. */
  static final class Link {
    final String network;
    final String container;
    final int address;

    /** Network and container of ours; null for one of Go's, and for one that was never finished. */
    final @Nullable String label;

    final boolean isUp;

    /** Whether a runtime was told that it exists and has not asked for its end. */
    boolean lives;

    Link(
        String network,
        String container,
        int address,
        @Nullable String label,
        boolean isUp,
        boolean lives) {
      this.network = network;
      this.container = container;
      this.address = address;
      this.label = label;
      this.isUp = isUp;
      this.lives = lives;
    }
  }

  enum Folder {
    ATTACHMENTS,
    SPOOL,
    JOURNAL
  }

  /**
   * A record of ours.
   *
   * @param address 0 when no result is known
   * @param written by the wall clock
   */
  record Rec(
      String container,
      String network,
      String plugin,
      boolean isAdd,
      int boot,
      long mono,
      int inode,
      String path,
      int address,
      long written) {
    String name() {
      return container + "/" + plugin + "/" + network;
    }
  }

  record Lease(String network, int address, String container, long written) {}

  record Cached(String network, String container, String path) {}

  int boot = 1;
  long mono;
  long wall = 1_000_000;
  final List<Namespace> namespaces = new ArrayList<>();
  final Map<Folder, Map<String, Rec>> records = new HashMap<>();
  final List<Lease> leases = new ArrayList<>();
  final Set<Cached> cache = new HashSet<>();

  ModelWorld() {
    for (Folder folder : Folder.values()) {
      records.put(folder, new LinkedHashMap<>());
    }
  }

  Map<String, Rec> in(Folder folder) {
    return records.getOrDefault(folder, Map.of());
  }

  Optional<Namespace> at(String path) {
    return namespaces.stream().filter(ns -> path.equals(ns.path)).findFirst();
  }

  Namespace create(String path) {
    int inode = 1;
    while (isTaken(inode)) {
      inode++;
    }
    Namespace made = new Namespace(inode, path);
    namespaces.add(made);
    return made;
  }

  private boolean isTaken(int inode) {
    return namespaces.stream().anyMatch(ns -> ns.inode == inode);
  }

  /** A namespace without a name or a process is gone with all that is in it. */
  void dropUnreachable() {
    namespaces.removeIf(ns -> ns.path == null && !ns.held);
  }

  boolean isThere(Rec record) {
    return record.boot() == boot
        && at(record.path()).filter(ns -> ns.inode == record.inode()).isPresent();
  }

  Evidence evidence(Folder folder, Rec suspect) {
    boolean there = isThere(suspect);
    Rec committed = in(Folder.ATTACHMENTS).get(suspect.name());
    int known =
        suspect.address() > 0 ? suspect.address() : committed == null ? 0 : committed.address();
    List<Lease> own =
        leases.stream()
            .filter(lease -> lease.network().equals(suspect.network()))
            .filter(lease -> lease.container().equals(suspect.container()))
            .toList();
    Set<Integer> addresses = new HashSet<>();
    if (known > 0) {
      addresses.add(known);
    }
    own.forEach(lease -> addresses.add(lease.address()));
    long settled = folder == Folder.JOURNAL ? wall : suspect.written();
    return new Evidence(
        there,
        there ? inside(suspect) : Inside.NOTHING,
        others(folder, suspect),
        cached(suspect),
        own.stream()
            .map(lease -> lease.written() > settled && lease.written() <= wall)
            .map(newer -> newer ? LeaseAge.NEWER : LeaseAge.NOT_NEWER)
            .toList(),
        links().anyMatch(link -> link.label != null && link.container.equals(suspect.container())),
        namespaces.stream()
            .filter(ns -> !there || ns.inode != suspect.inode())
            .anyMatch(ns -> ns.link != null && addresses.contains(ns.link.address)));
  }

  Stream<Link> links() {
    return namespaces.stream().flatMap(ns -> Stream.ofNullable(ns.link));
  }

  private Inside inside(Rec suspect) {
    Link link = at(suspect.path()).orElseThrow().link;
    if (link == null) {
      return Inside.NOTHING;
    }
    if (link.label != null) {
      return link.label.equals(suspect.network() + "/" + suspect.container())
          ? Inside.OWN
          : Inside.FOREIGN;
    }
    return link.isUp ? Inside.FOREIGN : Inside.HALF_MADE;
  }

  private List<OtherRecord> others(Folder folder, Rec suspect) {
    List<OtherRecord> others = new ArrayList<>();
    records.forEach(
        (where, all) ->
            all.values().stream()
                .filter(other -> other.container().equals(suspect.container()))
                .filter(other -> where != folder || !other.equals(suspect))
                .map(
                    other ->
                        new OtherRecord(
                            other.boot() == boot,
                            other.mono() > suspect.mono(),
                            isThere(other),
                            suspect.inode() == 0
                                || (other.inode() == suspect.inode()
                                    && other.boot() == suspect.boot()),
                            other.network().equals(suspect.network()),
                            !other.isAdd()))
                .forEach(others::add));
    return others;
  }

  private List<CacheEntry> cached(Rec suspect) {
    return cache.stream()
        .filter(entry -> entry.container().equals(suspect.container()))
        .map(
            entry -> {
              Optional<Namespace> led = at(entry.path());
              return new CacheEntry(
                  led.isPresent(),
                  led.isPresent()
                      && entry.path().equals(suspect.path())
                      && led.get().inode == suspect.inode()
                      && suspect.boot() == boot,
                  entry.network().equals(suspect.network()));
            })
        .toList();
  }

  /** What is in use and would be gone, or without its address, after the DEL of a record. */
  List<Link> harmedBy(Rec suspect, boolean entersNamespace) {
    return links()
        .filter(link -> link.lives)
        .filter(
            link ->
                taken(suspect, entersNamespace).contains(link)
                    || leases.stream().anyMatch(lease -> isLeaseOf(lease, link, suspect)))
        .toList();
  }

  private static boolean isLeaseOf(Lease lease, Link link, Rec suspect) {
    return lease.network().equals(suspect.network())
        && lease.container().equals(suspect.container())
        && lease.network().equals(link.network)
        && lease.address() == link.address;
  }

  /** The links that DEL removes: by name in the namespace, else by their aliases. */
  private List<Link> taken(Rec suspect, boolean entersNamespace) {
    if (entersNamespace) {
      return at(suspect.path()).flatMap(ns -> Optional.ofNullable(ns.link)).stream().toList();
    }
    String label = suspect.network() + "/" + suspect.container();
    return links().filter(link -> label.equals(link.label)).toList();
  }

  /** DEL of a record, by the same names that plugins use. */
  void undo(Rec suspect, boolean entersNamespace) {
    List<Link> gone = taken(suspect, entersNamespace);
    namespaces.stream().filter(ns -> gone.contains(ns.link)).forEach(ns -> ns.link = null);
    leases.removeIf(
        lease ->
            lease.network().equals(suspect.network())
                && lease.container().equals(suspect.container()));
    records.values().forEach(all -> all.remove(suspect.name()));
  }
}
