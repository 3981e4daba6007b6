package io.ocicat.daemon.liveness;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.runtime.CachedAttachment;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.daemon.liveness.Evidence.CacheEntry;
import io.ocicat.daemon.liveness.Evidence.Inside;
import io.ocicat.daemon.liveness.Evidence.LeaseAge;
import io.ocicat.daemon.liveness.Evidence.OtherRecord;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.linux.FileStat;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.plugins.Plugins;
import io.ocicat.plugins.hostlocal.Lease;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Gathers the evidence about an attachment on this machine. Costs nothing until there is a suspect;
 * then a listing of the records, of libcni's cache and of the network's leases, and a scan of every
 * namespace of the machine, once for all suspects of one {@link NodeInterfaces}. Thread-safe.
 */
public final class NodeEvidence {
  private static final String HOST_LOCAL = "host-local";

  private final DaemonState state;
  private final Cni cache;

  public NodeEvidence(DaemonState state, CniFolders folders) {
    this.state = state;
    this.cache =
        Cni.builder()
            .confDirectory(folders.conf())
            .pluginPath(PluginPath.parse(""))
            .cacheDirectory(folders.cache())
            .build();
  }

  /**
   * Decides about a suspect, whose attachment the caller has locked. A source that cannot be read
   * counts as evidence that it is in use.
   */
  public UndoDecision decide(Suspect suspect, NodeInterfaces interfaces) {
    try {
      return UndoPolicy.decide(suspect.reason(), gather(suspect, interfaces));
    } catch (UncheckedIOException | NetlinkException | CniException e) {
      return new UndoDecision.Refused("it is unknown whether it is in use: " + e.getMessage());
    }
  }

  /**
   * Removes libcni's cache entry of an attachment that has been undone and that the caller has
   * locked: nothing else does so for a network that was renamed. An entry in another namespace that
   * exists belongs to another attachment.
   */
  public void forgetCached(AttachmentKey key, CallRecord undone) {
    for (CachedAttachment cached : cache.attachments(key.containerId())) {
      String path = cached.container().netns();
      NamespaceId id = NamespaceId.of(path);
      if (cached.container().ifName().value().equals(key.ifName())
          && cached.network().value().equals(undone.network())
          && path.equals(undone.netnsPath())
          && (id.isNone() || (id.equals(undone.netns()) && undone.boot().equals(state.boot())))) {
        cache.forget(cached);
      }
    }
  }

  private Evidence gather(Suspect suspect, NodeInterfaces interfaces) {
    CallRecord record = suspect.record();
    boolean there = namespaceIsThere(record);
    List<Lease> leases = leases(suspect);
    Set<IpAddress> addresses = new HashSet<>(suspect.addresses());
    leases.forEach(lease -> addresses.add(lease.address()));
    Path host = hostNamespace(record);
    // While its namespace can be entered, the owner of the interface in there is known.
    NamespaceId excluded = there ? record.netns() : NamespaceId.NONE;
    return new Evidence(
        there,
        there ? inside(suspect, host) : Inside.NOTHING,
        others(suspect),
        cached(suspect),
        leases.stream().map(lease -> age(suspect, lease)).toList(),
        suspect.owner().filter(it -> interfaces.anyOf(it, host)).isPresent(),
        interfaces.haveAny(addresses, host, excluded));
  }

  private static Inside inside(Suspect suspect, Path host) {
    return ContainerLink.classify(
        Path.of(suspect.record().netnsPath()), suspect.key().ifName(), host, suspect);
  }

  private List<OtherRecord> others(Suspect suspect) {
    CallRecord record = suspect.record();
    List<OtherRecord> others = new ArrayList<>();
    for (RecordFolder folder : List.of(state.attachments(), state.journal(), state.spool())) {
      Map<String, Optional<CallRecord>> found =
          state.recordsOf(suspect.key(), folder, Plugins.names());
      found.forEach(
          (name, other) -> {
            if (other.isEmpty()) {
              // It may be one that something depends on.
              others.add(new OtherRecord(true, true, true, false, false, false));
            } else if (!(name.equals(suspect.name()) && other.get().isSameAs(record))) {
              others.add(other(other.get(), record));
            }
          });
    }
    return others;
  }

  private OtherRecord other(CallRecord other, CallRecord suspect) {
    return new OtherRecord(
        other.boot().equals(state.boot()),
        other.isNewerThan(suspect),
        namespaceIsThere(other),
        suspect.netns().isNone()
            || (other.netns().equals(suspect.netns()) && other.boot().equals(suspect.boot())),
        other.network().equals(suspect.network()),
        !other.isAdd());
  }

  private List<CacheEntry> cached(Suspect suspect) {
    CallRecord record = suspect.record();
    List<CacheEntry> entries = new ArrayList<>();
    for (CachedAttachment cached : cache.attachments(suspect.key().containerId())) {
      if (cached.container().ifName().value().equals(suspect.key().ifName())) {
        String path = cached.container().netns();
        NamespaceId id = NamespaceId.of(path);
        entries.add(
            new CacheEntry(
                !id.isNone(),
                path.equals(record.netnsPath())
                    && id.equals(record.netns())
                    && record.boot().equals(state.boot()),
                cached.network().value().equals(record.network())));
      }
    }
    return entries;
  }

  /** host-local's leases of this container and interface, in the network's data directory. */
  private static List<Lease> leases(Suspect suspect) {
    return hostLocal(suspect.record())
        .map(
            plugin ->
                Lease.of(suspect.record().network(), plugin).stream()
                    .filter(lease -> isOf(lease, suspect))
                    .toList())
        .orElse(List.of());
  }

  private static boolean isOf(Lease lease, Suspect suspect) {
    return lease.holder().containerId().equals(suspect.key().containerId())
        && lease.holder().ifName().equals(suspect.key().ifName());
  }

  private static LeaseAge age(Suspect suspect, Lease lease) {
    Path directory = Lease.directory(lease.network(), hostLocal(suspect.record()).orElseThrow());
    try {
      long written = FileStat.of(directory.resolve(lease.address().toString())).modifiedNanos();
      // A time in the future only means that the clock has been set back since.
      long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis() + 1);
      return written > suspect.idleSinceNanos() && written <= now
          ? LeaseAge.NEWER
          : LeaseAge.NOT_NEWER;
    } catch (NetlinkException _) {
      return LeaseAge.NOT_NEWER;
    }
  }

  /** The configuration with which host-local leases addresses for a record's plugin, if it does. */
  private static Optional<PluginConfig> hostLocal(CallRecord record) {
    try {
      ObjectNode json = PluginConfig.ofRequest(record.stdin()).json();
      JsonNode ipam = json.path("ipam");
      JsonNode delegates = json.path("delegate").path("ipam");
      JsonNode named = ipam.isObject() ? ipam : delegates;
      String type = named.path("type").asString(isFlannel(record) ? HOST_LOCAL : "");
      if (!type.equals(HOST_LOCAL)) {
        return Optional.empty();
      }
      ObjectNode asked = Json.object().put("name", record.network()).put("type", record.plugin());
      asked.putObject("ipam").put("type", HOST_LOCAL).setAll(dataDir(named));
      return Optional.of(PluginConfig.of(asked));
    } catch (CniException _) {
      return Optional.empty();
    }
  }

  private static ObjectNode dataDir(JsonNode ipam) {
    ObjectNode only = Json.object();
    return ipam.has("dataDir") ? only.set("dataDir", ipam.get("dataDir")) : only;
  }

  private static boolean isFlannel(CallRecord record) {
    return record.plugin().equals("flannel");
  }

  private boolean namespaceIsThere(CallRecord record) {
    return record.boot().equals(state.boot()) && record.namespaceIsWhereItWas();
  }

  /** The host's namespace: that of the record while it exists, else where its DEL would be run. */
  private Path hostNamespace(CallRecord record) {
    return record.boot().equals(state.boot())
        ? record.hostNetns().find().orElse(Namespaces.OWN.host())
        : Namespaces.OWN.host();
  }
}
