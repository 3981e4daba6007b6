package io.ocicat.cli.install;

import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.VersionReply;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginInvoker;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.exec.Verb;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.netlink.ns.NetNs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Calls the plugins that take over, in the host's network namespace or, to see whether they would
 * do it, in one that nobody else has. They are called by their own names, also where install has
 * kept them aside under another: Calico's are one executable that goes by its name.
 */
final class GoPlugins {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final Path netns;
  private final SuccessorPlugins successors;
  private final PluginInvoker invoker =
      new PluginInvoker(new ProcessExec(), PluginInvoker.Stderr.IGNORED);
  private final Map<Path, VersionReply> versions = new ConcurrentHashMap<>();

  GoPlugins(Path netns, SuccessorPlugins successors) {
    this.netns = netns;
    this.successors = successors;
  }

  /** Why no plugin could delete what a record describes. */
  Optional<String> obstacle(CallRecord record) {
    PluginConfig request = PluginConfig.ofRequest(record.stdin());
    String ipam = request.ipamType();
    Optional<String> own = obstacle(record, request, record.plugin());
    return own.isPresent() || ipam.isEmpty() ? own : obstacle(record, request, ipam);
  }

  private Optional<String> obstacle(CallRecord record, PluginConfig request, String plugin) {
    Optional<Path> executable = find(record, plugin);
    if (executable.isEmpty()) {
      return Optional.of(
          "network %s needs plugin %s, and there is no other one than ours%s"
              .formatted(
                  request.name(),
                  plugin,
                  successors.directory() == null
                      ? ": name the directory of the plugins that take over with --to"
                      : " in " + successors.directory()));
    }
    try {
      VersionReply version =
          versions.computeIfAbsent(executable.get(), path -> version(plugin, path));
      return version.supports(request.cniVersion())
          ? Optional.empty()
          : Optional.of(
              "network %s has cniVersion %s, which %s does not support"
                  .formatted(request.name(), request.cniVersion(), executable.get()));
    } catch (CniException e) {
      return Optional.of("%s does not work: %s".formatted(executable.get(), e.getMessage()));
    }
  }

  private VersionReply version(String plugin, Path executable) {
    try (OwnName name = OwnName.of(plugin, executable)) {
      return invoker.version(name.path(), System.getenv(), LIMIT);
    }
  }

  private Optional<Path> find(CallRecord record, String plugin) {
    return successors.find(plugin, cniPath(record));
  }

  private static String cniPath(CallRecord record) {
    return record.environment().getOrDefault(CniEnvironment.PATH, "");
  }

  /** The recorded ADD by the other plugin, in a namespace where it has no effect. */
  void tryAdd(CallRecord record) {
    if (find(record, record.plugin()).isEmpty()) {
      return; // Which is an obstacle by itself.
    }
    try (NetNs scratch = NetNs.create()) {
      add(record, scratch);
    }
  }

  /** The recorded ADD by the other plugin. */
  void add(CallRecord record) {
    try (NetNs host = NetNs.open(netns)) {
      add(record, host);
    }
  }

  private void add(CallRecord record, NetNs host) {
    Path executable =
        find(record, record.plugin())
            .orElseThrow(
                () -> new InstallException("there is no plugin " + record.plugin() + " but ours"));
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.putAll(record.environment());
    environment.put(CniEnvironment.COMMAND, Verb.ADD.name());
    environment.put(CniEnvironment.PATH, successors.cniPath(cniPath(record)));
    try (OwnName name = OwnName.of(record.plugin(), executable)) {
      Invocation add = new Invocation(name.path(), environment, record.stdin(), LIMIT);
      host.call(
          () -> {
            invoker.run(add);
            return true;
          });
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new InstallException("cannot execute %s: %s".formatted(executable, e.getMessage()));
    }
  }
}
