package io.ocicat.cli;

import io.ocicat.base.BootId;
import io.ocicat.cli.options.Version;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.cni.plugin.PluginMain;
import io.ocicat.daemon.call.OneShot;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.datastore.Datastores;
import io.ocicat.plugins.Plugins;
import io.ocicat.plugins.support.PluginOptions;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * {@code ocicat plugin <name>}: makes one call of one plugin in its own JVM. The executables in
 * {@code cni/} enter here directly: picocli would cost more than the call itself.
 *
 * @param executables where our own executables are, if this runs from a distribution: a delegate
 *     found there needs no process
 * @param ours finds which executables are ours, wherever they were copied to
 */
record PluginProcess(Optional<Path> executables, PluginExecutables ours) {
  static final String COMMAND = "plugin";

  static PluginProcess fromDistribution() {
    return new PluginProcess(
        Optional.ofNullable(System.getProperty("ocicat.home")).map(home -> Path.of(home, "cni")),
        PluginExecutables.fromDistribution());
  }

  /**
   * Halts the process: nothing is left to be done by then, and an orderly exit makes the JVM search
   * for a logger first, for milliseconds.
   */
  public static void main(String[] args) {
    Runtime.getRuntime().halt(fromDistribution().run(args[0]));
  }

  /** Serves the call that environment and standard input describe. Returns the exit code. */
  int run(String name) {
    Optional<Plugin> plugin = ours.named(name);
    if (plugin.isEmpty()) {
      System.err.println(
          "ocicat: there is no plugin \"%s\"; there are %s"
              .formatted(name, String.join(", ", Plugins.names())));
      return 2;
    }
    StateFolders folders = StateFolders.of(System.getenv());
    return folders.inUse() ? withDaemonRecords(name, plugin.get(), folders) : alone(plugin.get());
  }

  /** Handles a plugin executable's command-line options, without a call. Returns the exit code. */
  static int options(String name, List<String> flags) {
    String version = Version.build().version();
    try (Datastores datastores = new Datastores()) {
      Optional<PluginOptions> options = Plugins.options(name, datastores, System.getenv());
      if (options.isEmpty()) {
        System.err.println(
            "ocicat: the plugin \"%s\" has no options, it got %s".formatted(name, flags));
        return 2;
      }
      PluginReply reply = options.get().run(flags, version, System.in);
      System.out.print(new String(reply.stdout(), StandardCharsets.UTF_8));
      System.err.print(reply.stderr());
      return reply.exitCode();
    }
  }

  private int alone(Plugin plugin) {
    return PluginMain.run(
        plugin,
        PluginHost.process().withExec(exec()),
        System.getenv(),
        System.in,
        new FileOutputStream(FileDescriptor.out),
        System.err);
  }

  /** With the locks and records of the daemon, which may come back at any moment. */
  private int withDaemonRecords(String name, Plugin plugin, StateFolders folders) {
    System.setOut(System.err);
    // Not System.out, which does not report a full disk.
    try (FileOutputStream stdout = new FileOutputStream(FileDescriptor.out)) {
      DaemonState state = new DaemonState(folders, BootId.current());
      PluginReply reply = new OneShot(state, ours).run(name, plugin, System.getenv(), System.in);
      System.err.print(reply.stderr());
      stdout.write(reply.stdout());
      return reply.exitCode();
    } catch (IOException e) {
      System.err.println("ocicat: cannot read the request or write the answer: " + e.getMessage());
      return 1;
    }
  }

  /**
   * How plugins are run from here: our own executables in this JVM and all others as processes.
   * Where a daemon has run all are processes, because attachments are locked and recorded there.
   */
  PluginExec exec() {
    return StateFolders.of(System.getenv()).inUse()
        ? new ProcessExec()
        : new InProcessExec(ours::find, new ProcessExec(), Namespaces.OWN);
  }
}
