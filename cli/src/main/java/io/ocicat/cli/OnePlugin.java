package io.ocicat.cli;

import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.cni.plugin.PluginMain;
import io.ocicat.plugins.Plugins;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * {@code ocicat plugin <name>}: one call of one plugin in a JVM of its own, as the executables in
 * {@code cni/} make it. Known to {@link Ocicat#main} before picocli is, which would cost more than
 * the call itself.
 *
 * @param executables where our own executables are, if this runs from a distribution: a delegate
 *     found there needs no process
 */
record OnePlugin(Optional<Path> executables) {
  static final String COMMAND = "plugin";

  static OnePlugin fromDistribution() {
    return new OnePlugin(
        Optional.ofNullable(System.getProperty("ocicat.home")).map(home -> Path.of(home, "cni")));
  }

  /** Serves the call that environment and standard input describe. Returns the exit code. */
  int run(String name) {
    Optional<Plugin> plugin = Plugins.named(name);
    if (plugin.isEmpty()) {
      System.err.println(
          "ocicat: there is no plugin \"%s\"; there are %s"
              .formatted(name, String.join(", ", Plugins.names())));
      return 2;
    }
    return PluginMain.run(
        plugin.get(),
        PluginHost.process().withExec(exec()),
        System.getenv(),
        System.in,
        new FileOutputStream(FileDescriptor.out),
        System.err);
  }

  /** Runs our own executables in this JVM and all others as processes. */
  PluginExec exec() {
    return new InProcessExec(this::ours, new ProcessExec(), Namespaces.OWN);
  }

  /** The plugin an executable is, when it is one of this distribution's or a link to one. */
  Optional<Plugin> ours(Path executable) {
    try {
      Path real = executable.toRealPath();
      return executables.isPresent() && executables.get().toRealPath().equals(real.getParent())
          ? Plugins.named(real.getFileName().toString())
          : Optional.empty();
    } catch (IOException e) {
      // Whoever starts it as a process will say what is wrong with it.
      return Optional.empty();
    }
  }
}
