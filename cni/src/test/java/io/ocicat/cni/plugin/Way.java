package io.ocicat.cni.plugin;

import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.testplugins.JvmPlugins;
import io.ocicat.cni.testplugins.NoopPlugin;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The two ways to run one of our plugins, as a process and in this JVM; what holds for one must
 * hold for the other.
 */
enum Way {
  PROCESS {
    @Override
    PluginExec exec() {
      return new ProcessExec();
    }
  },
  IN_PROCESS {
    @Override
    PluginExec exec() {
      return new InProcessExec(
          Way::ours,
          invocation -> {
            throw new AssertionError("not ours: " + invocation.executable());
          },
          Namespaces.OWN);
    }
  };

  abstract PluginExec exec();

  PluginHost host() {
    return PluginHost.process().withExec(exec());
  }

  private static Optional<Plugin> ours(Path executable) {
    return executable.endsWith("noop") ? Optional.of(new NoopPlugin()) : Optional.empty();
  }

  /** The executable that both find. */
  static Path install(Path directory) {
    return JvmPlugins.install(directory, "noop", NoopPlugin.class);
  }
}
