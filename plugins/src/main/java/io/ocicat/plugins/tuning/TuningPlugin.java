package io.ocicat.plugins.tuning;

import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Interface;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.AttachmentCall;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.GcCall;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.StatusCall;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.support.Undo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Changes sysctls of a container's network namespace and settings of its interface. The previous
 * values are kept in a file until DEL restores them.
 */
public final class TuningPlugin implements Plugin {
  private static final Path ALLOW_LIST = Path.of("/etc/cni/tuning/allowlist.conf");

  private final Path allowList;

  public TuningPlugin() {
    this(ALLOW_LIST);
  }

  /**
   * With another allow list.
   *
   * @param allowList need not exist; then all sysctls may be set
   */
  public TuningPlugin(Path allowList) {
    this.allowList = allowList;
  }

  @Override
  public Result add(AddCall call) {
    TuningConf conf = TuningConf.read(call);
    requireAllowed(conf);
    Result previous = requirePrevious(call);
    try (NetnsSockets container = NetnsSockets.of(call.netns());
        Undo undo = new Undo()) {
      Optional<Link> link = link(container, call, conf);
      keepWhatIs(undo, call, container, link, conf);

      container
          .namespace()
          .visit(
              () -> {
                conf.sysctls().forEach(TuningPlugin::set);
                return conf;
              });
      link.ifPresent(found -> container.route().perform(conf.link().requests(found.index())));
      return undo.keep(result(previous, call.ifName().value(), conf.link()));
    }
  }

  private static Optional<Link> link(NetnsSockets container, AddCall call, TuningConf conf) {
    return conf.link().isEmpty()
        ? Optional.empty()
        : Optional.of(container.requireLink(call.ifName().value()));
  }

  /** Before anything is changed, so that a killed ADD can be undone. */
  private static void keepWhatIs(
      Undo undo, AddCall call, NetnsSockets container, Optional<Link> link, TuningConf conf) {
    Backup now = Backup.of(container, link, conf, call.network().value(), call.attachment());
    if (now.isEmpty()) {
      return;
    }
    BackupFile file = BackupFile.of(conf.dataDir(), call.attachment());
    // Another tuning plugin of the same chain, or an earlier ADD, has been here.
    Optional<Backup> older = file.read(call::log);
    undo.onFailure(() -> older.ifPresentOrElse(file::write, file::delete));
    file.write(older.map(now::after).orElse(now));
    undo.onFailure(() -> now.restore(container, call::log));
  }

  private static void set(NetSysctl sysctl) {
    try {
      sysctl.setting().write(sysctl.value());
    } catch (NetlinkException e) {
      boolean wrong = e.is(Errno.ENOENT) || e.is(Errno.EINVAL) || e.is(Errno.ERANGE);
      throw new CniException(
          wrong ? ErrorCode.INVALID_NETWORK_CONFIG : ErrorCode.INTERNAL,
          "cannot set sysctl %s to \"%s\": %s"
              .formatted(sysctl.key(), sysctl.value(), e.getMessage()),
          e);
    }
  }

  /** The result of the previous plugins, with the changes to the interface. */
  private static Result result(Result previous, String ifName, LinkTuning changed) {
    boolean inSandbox =
        previous.interfaces().stream().anyMatch(i -> i.name().equals(ifName) && !i.isOnHost());
    return previous.mapInterfaces(
        i -> i.name().equals(ifName) && inSandbox != i.isOnHost() ? changed(i, changed) : i);
  }

  private static Interface changed(Interface before, LinkTuning changed) {
    Interface after = changed.mac().map(before::withMac).orElse(before);
    return before.mtu() == 0 ? after : changed.mtu().map(after::withMtu).orElse(after);
  }

  @Override
  public List<Delegation> review(PluginConfig config) {
    requireAllowed(TuningConf.read(config, CniArgs.NONE, "eth0"));
    return List.of();
  }

  private void requireAllowed(TuningConf conf) {
    if (!conf.sysctls().isEmpty()) {
      AllowList.load(allowList).ifPresent(list -> list.require(conf.sysctls()));
    }
  }

  /**
   * Restores what it can and drops the rest: without its file, a retry could restore no more, so a
   * failure would only keep the container from being removed.
   */
  @Override
  public void del(DelCall call) {
    BackupFile file = BackupFile.of(TuningConf.dataDir(call.config()), call.attachment());
    Optional<Backup> backup = file.read(call::log);
    Optional<NetnsSockets> remaining = backup.flatMap(_ -> NetnsSockets.ofRemaining(call.netns()));
    if (remaining.isPresent()) {
      try (NetnsSockets container = remaining.get()) {
        backup.get().restore(container, call::log);
      }
    }
    file.delete();
  }

  @Override
  public void check(CheckCall call) {
    TuningConf conf = TuningConf.read(call);
    requirePrevious(call);
    try (NetnsSockets container = NetnsSockets.of(call.netns())) {
      for (NetSysctl sysctl : conf.sysctls()) {
        String found = container.read(sysctl.setting());
        if (!sysctl.isValue(found)) {
          throw differs(
              "%s is \"%s\", should be \"%s\"".formatted(sysctl.setting(), found, sysctl.value()));
        }
      }
      String ifName = call.ifName().value();
      Link link =
          container.link(ifName).orElseThrow(() -> differs("cannot find container link " + ifName));
      // Off unless configured, so this is checked, too.
      LinkTuning wanted = conf.link().or(LinkTuning.NOT_PROMISCUOUS);
      List<String> differences = wanted.differences(link);
      if (!differences.isEmpty()) {
        throw differs("link %s: %s".formatted(ifName, String.join("; ", differences)));
      }
    }
  }

  private static CniException differs(String what) {
    return new CniException(ErrorCode.INTERNAL, what);
  }

  private static Result requirePrevious(AttachmentCall call) {
    return call.previousResult()
        .orElseThrow(
            () ->
                new CniException(
                    ErrorCode.INVALID_NETWORK_CONFIG,
                    "Required prevResult missing",
                    "put \"tuning\" after the plugin that creates the interface"));
  }

  /** Only our own: Go's name neither their owner nor their network. */
  @Override
  public void gc(GcCall call) {
    call.validAttachments()
        .ifPresent(
            valid -> {
              for (BackupFile file : BackupFile.in(TuningConf.dataDir(call.config()))) {
                file.read(call::log)
                    .filter(backup -> backup.network().equals(call.network().value()))
                    .filter(backup -> !valid.contains(backup.attachment()))
                    .ifPresent(_ -> file.delete());
              }
            });
  }

  @Override
  public void status(StatusCall call) {
    try {
      AllowList.load(allowList);
    } catch (CniException e) {
      throw new CniException(ErrorCode.PLUGIN_NOT_AVAILABLE, e.msg(), e);
    }
    Path dataDir = TuningConf.dataDir(call.config());
    Path existing = dataDir;
    while (existing.getParent() != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    if (!Files.isDirectory(existing) || !Files.isWritable(existing)) {
      throw new CniException(
          ErrorCode.PLUGIN_NOT_AVAILABLE,
          "cannot keep backups in dataDir %s: %s is no directory that can be written"
              .formatted(dataDir, existing));
    }
  }

  @Override
  public String about() {
    return "CNI tuning plugin (ocicat)";
  }
}
