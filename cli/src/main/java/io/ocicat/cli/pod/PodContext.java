package io.ocicat.cli.pod;

import io.ocicat.cli.options.CniOptions;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.terminal.PluginMessages;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cri.SnapshotRoots;
import io.ocicat.datastore.Datastores;
import io.ocicat.sandbox.container.ContainerSettings;
import io.ocicat.sandbox.container.ContainerSettings.CgroupDriver;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.sandbox.container.life.ConmonContainers;
import io.ocicat.sandbox.infra.NoInfra;
import io.ocicat.sandbox.infra.RuncInfra;
import io.ocicat.sandbox.network.DatastorePods;
import io.ocicat.sandbox.network.NetworkSettings;
import io.ocicat.sandbox.network.PodNetworks;
import io.ocicat.sandbox.pods.PodSandboxes;
import io.ocicat.sandbox.pods.SandboxSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The machine that {@code ocicat pod} runs pods on.
 *
 * @param ownPlugins the plugins of this distribution, if it is one
 */
public record PodContext(
    NodeContext site, Map<String, String> environment, Optional<Path> ownPlugins) {
  private static final String USUAL_PATH = "/usr/sbin:/usr/bin:/sbin:/bin";

  public PodContext {
    environment = Map.copyOf(environment);
  }

  /** Pods, their containers and what they need, for one command. */
  public record Open(
      PodSandboxes pods,
      PodNetworks networks,
      Containers containers,
      OpenImages images,
      Datastores datastores,
      PluginMessages messages)
      implements AutoCloseable {
    @Override
    public void close() {
      try (datastores;
          images) {
        containers.close();
      }
    }
  }

  Open open(PodOptions options, PrintWriter err) {
    PluginMessages messages =
        new PluginMessages(err, variable("OCICAT_DEBUG").filter("1"::equals).isPresent());
    Open open = open(options.cni(), ContainerChoice.usual(site.folders().state()), messages);
    options.podCidrs().ifPresent(open.networks()::podCidrs);
    return open;
  }

  /** The pods and containers of this machine. */
  public Open open(CniOptions cni, ContainerChoice choice, PluginMessages messages) {
    Path run = folder(site.folders().run());
    Path state = folder(site.folders().state());
    Path pods = folder(run.resolve("pods"));
    PodNetworks networks =
        new PodNetworks(
            NetworkSettings.usual(pods)
                .at(
                    cni.confDirectory(this::variable),
                    cni.pluginPath(this::variable, ownPlugins)
                        .orElseGet(() -> PluginPath.of(Path.of("/opt/cni/bin"))),
                    cni.cacheDirectory())
                .running(environment, new ProcessExec(), messages));
    Datastores datastores = new Datastores();
    OpenImages images = new OpenImages(choice.imageRoot());
    Containers containers =
        new ConmonContainers(
            ContainerSettings.usual(
                    state.resolve("containers"),
                    // A short name: sockets are below it.
                    run.resolve("c"),
                    program("conmon"),
                    program(choice.runtime()))
                .cgroups(choice.systemd() ? CgroupDriver.SYSTEMD : CgroupDriver.CGROUPFS),
            new SnapshotRoots(images));
    return new Open(
        new PodSandboxes(
            SandboxSettings.usual(
                state.resolve("pods"),
                pods,
                List.of(runc(pods, choice.systemd()), new NoInfra()),
                new DatastorePods(datastores, environment)),
            networks,
            containers),
        networks,
        containers,
        images,
        datastores,
        messages);
  }

  /** For the owner alone, as the daemon has them. */
  private static Path folder(Path folder) {
    try {
      return Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create the directory %s: %s".formatted(folder, e), e);
    }
  }

  private RuncInfra runc(Path pods, boolean systemd) {
    Path pause =
        ownPlugins
            .map(plugins -> plugins.resolveSibling("lib").resolve("pause"))
            .orElseGet(() -> Path.of("/usr/lib/ocicat/lib/pause"));
    return new RuncInfra(program("runc"), pause, pods.resolve("runc"), systemd);
  }

  private Path program(String name) {
    String path = variable("PATH").map(set -> set + ":" + USUAL_PATH).orElse(USUAL_PATH);
    return RuncInfra.find(name, path).orElseGet(() -> Path.of(name));
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }
}
