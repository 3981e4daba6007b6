package io.ocicat.cli.install;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.PluginConfig;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.RangeLock;
import io.ocicat.plugins.bridge.SpoofCheckHandOver;
import io.ocicat.plugins.calico.NatOutgoingHandOver;
import io.ocicat.plugins.flannel.FlannelHandOver;
import io.ocicat.plugins.masquerade.MasqueradeHandOver;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.portmap.PortmapHandOver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Hands our attachments over to the Go plugins while containers run: converts what we keep in our
 * own form into what their DEL removes, and drops our records. Interfaces, leases, firewall rules,
 * bandwidth limits, tuning's backups and libcni's cache already have their form.
 *
 * <p>An attachment is handed over under its lock, and its records go last: if this process is
 * killed, the handover can be repeated. {@link #obstacles} names what cannot be handed over before
 * anything is changed.
 */
final class HandOver {
  private static final Duration LOCK_LIMIT = Duration.ofSeconds(30);
  private static final String CALICO = "calico";
  private static final String FLANNEL = "flannel";
  private static final String PORTMAP = "portmap";

  private final Path netns;
  private final DaemonState state;
  private final GoPlugins plugins;
  private final InstallOutput output;
  private final boolean force;

  /**
   * @param netns the host's network namespace
   * @param force whether to delete what cannot be handed over
   */
  HandOver(
      Path netns,
      DaemonState state,
      SuccessorPlugins successors,
      InstallOutput output,
      boolean force) {
    this.netns = netns;
    this.state = state;
    this.plugins = new GoPlugins(netns, successors);
    this.output = output;
    this.force = force;
  }

  /** A plugin's record of an attachment, parsed. */
  private record PluginRecord(Kept kept, AttachmentOwner owner, PluginConfig request) {
    String plugin() {
      return kept.record().plugin();
    }
  }

  /** What cannot be handed over, each by its name and with what would be lost. */
  List<String> obstacles() {
    Set<String> obstacles = new LinkedHashSet<>();
    if (!state.journal().names().isEmpty() || !state.spool().names().isEmpty()) {
      obstacles.add(
          "calls are not finished (%s): start ocicatd once, which finishes them"
              .formatted(state.runDirectory()));
    }
    List<PluginRecord> all = new ArrayList<>();
    for (String name : state.attachments().names()) {
      Optional<PluginRecord> known = read(name);
      known.ifPresentOrElse(
          all::add,
          () ->
              obstacles.add(
                  "record %s cannot be read".formatted(state.attachments().path().resolve(name))));
    }
    for (PluginRecord known : all) {
      if (known.kept().record().boot().equals(state.boot()) && !isPresent(known)) {
        obstacles.add(
            "%s was attached in another network namespace than this one"
                .formatted(known.owner().label()));
      }
    }
    try (NetnsSockets host = NetnsSockets.of(netns)) {
      all.forEach(known -> plugins.obstacle(known.kept().record()).ifPresent(obstacles::add));
      for (PluginRecord known : all) {
        if (isPresent(known) && known.plugin().equals(PORTMAP)) {
          ports(host, known).ifPresent(obstacles::add);
        }
      }
      unrecorded(host, all).forEach(obstacles::add);
      masquerading(host, all).forEach(obstacles::add);
      SpoofCheckHandOver.networks(host)
          .forEach(
              network ->
                  obstacles.add(
                      "network %s has macspoofchk, which would end for what runs"
                          .formatted(network)));
    } catch (NetlinkException e) {
      obstacles.add("the kernel's tables cannot be read: " + e.getMessage());
    }
    return List.copyOf(obstacles);
  }

  /** The Go plugin may refuse what ours accepts: conditions in the syntax of another back end. */
  private Optional<String> ports(NetnsSockets host, PluginRecord known) {
    try {
      if (PortmapHandOver.hasPorts(known.request())
          && !PortmapHandOver.isDone(host, known.owner(), known.request())) {
        plugins.tryAdd(known.kept().record());
      }
      return Optional.empty();
    } catch (CniException e) {
      return Optional.of(
          "host ports of %s: Go's portmap refuses them: %s"
              .formatted(known.owner().label(), e.getMessage()));
    }
  }

  private static List<String> unrecorded(NetnsSockets host, List<PluginRecord> all) {
    Set<String> recorded = new TreeSet<>();
    all.forEach(known -> recorded.add(known.owner().label()));
    return PortmapHandOver.owners(host).stream()
        .filter(label -> !recorded.contains(label))
        .map("host ports of %s, of which there is no record"::formatted)
        .toList();
  }

  private static List<String> masquerading(NetnsSockets host, List<PluginRecord> all) {
    List<String> obstacles = new ArrayList<>();
    for (PluginRecord known : all) {
      if (known.plugin().equals(CALICO)
          && NatOutgoingHandOver.isOurs(host, known.owner().network())) {
        obstacles.add(natOutgoing(known));
      }
    }
    Map<String, PluginRecord> masters = masters(all);
    Set<String> chains = new TreeSet<>();
    MasqueradeHandOver.owners(host)
        .forEach(
            (label, addresses) -> {
              PluginRecord master = masters.get(label);
              if (master == null) {
                obstacles.add("masquerading of %s, of which there is no record".formatted(label));
              } else if (master.plugin().equals(CALICO)) {
                obstacles.add(natOutgoing(master));
              } else {
                for (IpPrefix address : addresses) {
                  String chain =
                      "%s %s %s"
                          .formatted(
                              master.owner().network(), master.owner().container(), address.isV4());
                  if (!chains.add(chain)) {
                    obstacles.add(
                        "masquerading of %s: Go's DEL fails for two addresses of one family"
                            .formatted(label));
                  }
                }
                usable(host, label, addresses).ifPresent(obstacles::add);
              }
            });
    return obstacles;
  }

  private static String natOutgoing(PluginRecord known) {
    return "network %s has natOutgoing: Felix masquerades where Calico's plugin is, and until it does nobody would"
        .formatted(known.owner().network());
  }

  private static Optional<String> usable(
      NetnsSockets host, String label, List<IpPrefix> addresses) {
    try {
      MasqueradeHandOver.require(host, addresses);
      return Optional.empty();
    } catch (CniException e) {
      return Optional.of("masquerading of %s: %s".formatted(label, e.getMessage()));
    }
  }

  /** For each attachment the plugin that masquerades, without those chained to it. */
  private static Map<String, PluginRecord> masters(List<PluginRecord> all) {
    Map<String, PluginRecord> masters = new LinkedHashMap<>();
    for (PluginRecord known : all) {
      if (Set.of("bridge", "ptp", CALICO, FLANNEL).contains(known.plugin())) {
        masters.merge(
            known.owner().label(),
            known,
            (one, other) -> other.plugin().equals(CALICO) ? other : one);
      }
    }
    return masters;
  }

  /** Hands over everything that exists now; what is attached meanwhile is for another round. */
  void carryOut(boolean dryRun) {
    Map<AttachmentKey, List<String>> attachments = new LinkedHashMap<>();
    for (Kept kept : state.attachments().list()) {
      kept.record()
          .key()
          .ifPresent(
              key -> attachments.computeIfAbsent(key, _ -> new ArrayList<>()).add(kept.name()));
    }
    try (NetnsSockets host = NetnsSockets.of(netns)) {
      attachments.forEach((key, names) -> handOver(host, key, names, dryRun));
    }
  }

  private void handOver(NetnsSockets host, AttachmentKey key, List<String> names, boolean dryRun) {
    try (RangeLock _ =
        state
            .lock(key, LOCK_LIMIT)
            .orElseThrow(
                () -> new InstallException("%s is being changed: try again".formatted(key)))) {
      List<PluginRecord> records = names.stream().flatMap(name -> read(name).stream()).toList();
      Map<String, List<IpPrefix>> masqueraded = MasqueradeHandOver.owners(host);
      Map<String, PluginRecord> masters = masters(records);
      Set<String> done = new LinkedHashSet<>();
      for (PluginRecord known : records) {
        if (isPresent(known)) {
          handOver(host, known, masters, masqueraded, done, dryRun);
        }
      }
      output.report("handed over", key.toString(), String.join(", ", done));
      if (!dryRun) {
        names.forEach(state.attachments()::remove);
      }
    }
  }

  private void handOver(
      NetnsSockets host,
      PluginRecord known,
      Map<String, PluginRecord> masters,
      Map<String, List<IpPrefix>> masqueraded,
      Set<String> done,
      boolean dryRun) {
    String label = known.owner().label();
    if (known.plugin().equals(PORTMAP) && PortmapHandOver.hasPorts(known.request())) {
      done.add("host ports");
      if (!dryRun) {
        if (!PortmapHandOver.isDone(host, known.owner(), known.request())) {
          try {
            plugins.add(known.kept().record());
          } catch (CniException | InstallException e) {
            require(force, "host ports of " + label, e);
            done.add("which nobody forwards any more");
          }
        }
        PortmapHandOver.release(host, label);
      }
    }
    if (known.plugin().equals(FLANNEL)) {
      done.add("flannel's file");
      if (!dryRun) {
        FlannelHandOver.handOver(known.owner(), known.request());
      }
    }
    List<IpPrefix> addresses = masqueraded.get(label);
    if (addresses != null && known.equals(masters.get(label))) {
      done.add("masquerading");
      if (!dryRun) {
        masquerade(host, known, addresses, done);
      }
    }
  }

  private void masquerade(
      NetnsSockets host, PluginRecord known, List<IpPrefix> addresses, Set<String> done) {
    long families = addresses.stream().map(IpPrefix::isV4).distinct().count();
    if (known.plugin().equals(CALICO) || families < addresses.size()) {
      MasqueradeHandOver.release(host, known.owner().label());
      done.add("which nobody does any more");
      return;
    }
    try {
      MasqueradeHandOver.handOver(host, known.owner(), addresses);
    } catch (CniException e) {
      require(force, "masquerading of " + known.owner().label(), e);
      MasqueradeHandOver.release(host, known.owner().label());
      done.add("which nobody does any more");
    }
  }

  private static void require(boolean force, String what, RuntimeException e) {
    if (!force) {
      throw new InstallException("cannot hand over %s: %s".formatted(what, e.getMessage()));
    }
  }

  /** Whether what it describes is in this kernel and on this host. */
  private boolean isPresent(PluginRecord known) {
    CallRecord record = known.kept().record();
    return record.boot().equals(state.boot()) && record.hostNetns().equals(NamespaceId.of(netns));
  }

  private Optional<PluginRecord> read(String name) {
    return state
        .attachments()
        .read(name)
        .flatMap(
            record -> {
              try {
                PluginConfig request = PluginConfig.ofRequest(record.stdin());
                AttachmentKey key = record.key().orElseThrow();
                AttachmentOwner owner =
                    new AttachmentOwner(
                        new NetworkName(request.name()),
                        new ContainerId(key.containerId()),
                        new InterfaceName(key.ifName()));
                return Optional.of(new PluginRecord(new Kept(name, record), owner, request));
              } catch (CniException _) {
                return Optional.empty();
              }
            });
  }
}
