package io.ocicat.plugins;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.Deadline;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.datastore.Datastores;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Which implementation runs a plugin in a test: ours, in this JVM, or the Go plugin from Debian.
 * Both on the same host, with the same request.
 */
public enum Side {
  OURS {
    @Override
    Ran run(Host host, String plugin, Map<String, String> environment, String config) {
      Namespaces namespaces = new Namespaces(host.path(), Map.of());
      InProcessExec exec =
          new InProcessExec(
              path ->
                  path.startsWith(OUR_BIN)
                      ? Plugins.named(path.getFileName().toString(), new Datastores())
                      : Optional.empty(),
              invocation -> runInside(host, invocation),
              namespaces);
      PluginHost ours =
          new PluginHost(namespaces, exec, Deadline.in(Duration.ofSeconds(60)), _ -> {});
      PluginReply reply =
          Dispatcher.dispatch(
              Plugins.named(plugin, new Datastores()).orElseThrow(),
              ours,
              environment,
              config.getBytes(UTF_8));
      return new Ran(
          plugin + " " + environment,
          reply.exitCode(),
          new String(reply.stdout(), UTF_8),
          reply.stderr());
    }

    @Override
    public String path() {
      return OUR_BIN + ":" + GO_BIN;
    }
  },
  GO {
    @Override
    Ran run(Host host, String plugin, Map<String, String> environment, String config) {
      Output output = command(host, GO_BIN.resolve(plugin), environment).stdin(config).attempt();
      return new Ran(
          "go " + plugin + " " + environment, output.exitCode(), output.stdout(), output.stderr());
    }

    @Override
    public String path() {
      return GO_BIN.toString();
    }
  };

  private static final Path GO_BIN = Path.of("/usr/lib/cni");

  /**
   * Contains a file for each of our plugins, so that delegates are found; nothing in it is ever
   * executed.
   */
  private static final Path OUR_BIN = ourBin();

  /** An external delegate runs in the namespace of the plugin that calls it, not in this JVM's. */
  private static PluginReply runInside(Host host, Invocation invocation) {
    Output output =
        command(host, invocation.executable(), invocation.environment())
            .stdin(new String(invocation.stdin().bytes(), UTF_8))
            .limit(invocation.limit())
            .attempt();
    return new PluginReply(output.exitCode(), output.stdout().getBytes(UTF_8), output.stderr());
  }

  private static Command command(Host host, Path executable, Map<String, String> environment) {
    Command command = host.command(executable.toString());
    for (Map.Entry<String, String> variable : environment.entrySet()) {
      command = command.env(variable.getKey(), variable.getValue());
    }
    return command;
  }

  abstract Ran run(Host host, String plugin, Map<String, String> environment, String config);

  /** The directory of its executables, for CNI_PATH. */
  public abstract String path();

  private static Path ourBin() {
    try {
      Path bin = Files.createTempDirectory("ocicat-bin");
      bin.toFile().deleteOnExit();
      for (String name : Plugins.names()) {
        Path file = Files.createFile(bin.resolve(name));
        file.toFile().deleteOnExit();
      }
      return bin;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
