package io.ocicat.sandbox;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.datastore.Datastores;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.plugins.Plugins;
import io.ocicat.sandbox.infra.NoInfra;
import io.ocicat.sandbox.infra.PodInfra;
import io.ocicat.sandbox.network.DatastorePods;
import io.ocicat.sandbox.network.NetworkSettings;
import io.ocicat.sandbox.network.PodNetworks;
import io.ocicat.sandbox.pods.PodSandboxes;
import io.ocicat.sandbox.pods.SandboxFilter;
import io.ocicat.sandbox.pods.SandboxSettings;
import io.ocicat.sandbox.pods.SandboxStatus;
import io.ocicat.sandbox.trace.PodTrace;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A machine that runs pods, with all its files in a directory of the test, and a host for its
 * network. Our plugins run in this JVM, all others as processes; both see only the host's network.
 */
public final class TestNode implements AutoCloseable {
  private final Path folder;
  private final Host host;
  private final Datastores datastores = new Datastores();
  private final Map<String, Plugin> plugins = new ConcurrentHashMap<>();

  public TestNode(Path folder, Host host) {
    this.folder = folder;
    this.host = host;
    try {
      Files.createDirectories(confDirectory());
      Files.createDirectories(ownPlugins());
      Files.createDirectories(folder.resolve("run"));
      for (String name : Plugins.names()) {
        executable(ownPlugins().resolve(name), "exit 99");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Path folder() {
    return folder;
  }

  public Host host() {
    return host;
  }

  public Path confDirectory() {
    return folder.resolve("net.d");
  }

  public Path ownPlugins() {
    return folder.resolve("bin");
  }

  public Datastores datastores() {
    return datastores;
  }

  /** Configures a network, at once. */
  public void network(String file, String content) {
    try {
      Path draft = folder.resolve("draft");
      Files.writeString(draft, content.replace("@folder@", folder.toString()));
      Files.move(
          draft,
          confDirectory().resolve(file),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void executable(Path file, String shell) {
    try {
      Path draft = file.resolveSibling("." + file.getFileName());
      Files.writeString(draft, "#!/bin/sh\n" + shell + "\n");
      Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public NetworkSettings networkSettings(Path... pluginFolders) {
    PluginPath path =
        pluginFolders.length == 0 ? PluginPath.of(ownPlugins()) : PluginPath.of(pluginFolders);
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("OCICAT_STATE_DIR", folder.resolve("ocicat").toString());
    return NetworkSettings.usual(folder.resolve("run"))
        .at(confDirectory(), path, folder.resolve("cache"))
        .running(environment, exec(), (_, _) -> {})
        .limits(Duration.ofSeconds(60), Duration.ofSeconds(60));
  }

  public PodNetworks networks(Path... pluginFolders) {
    return networks(networkSettings(pluginFolders));
  }

  public PodNetworks networks(NetworkSettings settings) {
    return new PodNetworks(settings);
  }

  public SandboxSettings sandboxSettings(PodInfra... infras) {
    return SandboxSettings.usual(
            folder.resolve("state"),
            folder.resolve("run"),
            infras.length == 0 ? List.of(new NoInfra()) : List.of(infras),
            new DatastorePods(
                datastores, Map.of("OCICAT_STATE_DIR", folder.resolve("ocicat").toString())))
        .grace(Duration.ofSeconds(2));
  }

  public PodSandboxes sandboxes(PodInfra... infras) {
    return new PodSandboxes(sandboxSettings(infras), networks());
  }

  private PluginExec exec() {
    PluginExec others = this::inHost;
    return new InProcessExec(this::own, others, new Namespaces(host.path(), Map.of()));
  }

  private Optional<Plugin> own(Path executable) {
    String name = executable.getFileName().toString();
    return executable.startsWith(ownPlugins()) && Plugins.names().contains(name)
        ? Optional.of(
            plugins.computeIfAbsent(name, it -> Plugins.named(it, datastores).orElseThrow()))
        : Optional.empty();
  }

  private PluginReply inHost(Invocation invocation) {
    try (NetNs there = NetNs.open(host.path())) {
      return there.call(() -> new ProcessExec().run(invocation));
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new CniException(ErrorCode.INTERNAL, "cannot execute " + invocation.executable(), e);
    }
  }

  /** Runs something inside a pod. */
  public Command in(SandboxStatus pod, String... argv) {
    List<String> all = new ArrayList<>(List.of("nsenter", "--net=" + pod.netns(), "--"));
    all.addAll(List.of(argv));
    return Command.of(all);
  }

  /** Everything that pods may leave behind, one line each. */
  public List<String> traces() {
    List<String> found = new ArrayList<>();
    host.exec("sh", "-c", "ip -br link | sed 's/[@ ].*//'; nft list ruleset | grep -c . || true")
        .stdout()
        .lines()
        .forEach(found::add);
    for (String each :
        List.of(
            "state/records",
            "state/names",
            "state/begun",
            "state/sandbox",
            "run/netns",
            "cache/results",
            "leases",
            "logs",
            "flannel")) {
      files(folder.resolve(each), found);
    }
    return found;
  }

  /** Permanent files are left out: locks and counters of host-local. */
  private void files(Path below, List<String> found) {
    if (Files.notExists(below)) {
      return;
    }
    try (Stream<Path> all = Files.walk(below)) {
      all.filter(Files::isRegularFile)
          .map(file -> folder.relativize(file).toString())
          .filter(file -> !file.endsWith("lock") && !file.contains("last_reserved_ip"))
          .filter(file -> !file.contains("/.ocicat/"))
          .forEach(found::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      PodSandboxes all = sandboxes(new NoInfra());
      for (SandboxStatus pod : all.list(SandboxFilter.ALL)) {
        if (pod.infra().equals(NoInfra.KIND)) {
          all.removeByForce(pod.id(), new PodTrace());
        }
      }
    } finally {
      datastores.close();
      for (int mounts = 0; mounts < 5; mounts++) {
        Command.of("umount", "-R", "-l", folder.resolve("run/netns").toString()).attempt();
      }
    }
  }
}
