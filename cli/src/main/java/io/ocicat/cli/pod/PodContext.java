package io.ocicat.cli.pod;

import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.terminal.PluginMessages;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.datastore.Datastores;
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

  /** Pods and what they need, for one command. */
  record Open(PodSandboxes pods, Datastores datastores, PluginMessages messages)
      implements AutoCloseable {
    @Override
    public void close() {
      datastores.close();
    }
  }

  Open open(PodOptions options, PrintWriter err) {
    PluginMessages messages =
        new PluginMessages(err, variable("OCICAT_DEBUG").filter("1"::equals).isPresent());
    Path run = folder(site.folders().run());
    Path pods = folder(run.resolve("pods"));
    PodNetworks networks =
        new PodNetworks(
            NetworkSettings.usual(pods)
                .at(
                    options.cni().confDirectory(this::variable),
                    options
                        .cni()
                        .pluginPath(this::variable, ownPlugins)
                        .orElseGet(() -> PluginPath.of(Path.of("/opt/cni/bin"))),
                    options.cni().cacheDirectory())
                .running(environment, new ProcessExec(), messages));
    options.podCidrs().ifPresent(networks::podCidrs);
    Datastores datastores = new Datastores();
    return new Open(
        new PodSandboxes(
            SandboxSettings.usual(
                folder(site.folders().state()).resolve("pods"),
                pods,
                List.of(runc(pods), new NoInfra()),
                new DatastorePods(datastores, environment)),
            networks),
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

  private RuncInfra runc(Path pods) {
    String path = variable("PATH").map(set -> set + ":" + USUAL_PATH).orElse(USUAL_PATH);
    Path pause =
        ownPlugins
            .map(plugins -> plugins.resolveSibling("lib").resolve("pause"))
            .orElseGet(() -> Path.of("/usr/lib/ocicat/lib/pause"));
    return new RuncInfra(
        RuncInfra.find("runc", path).orElseGet(() -> Path.of("runc")), pause, pods.resolve("runc"));
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }
}
