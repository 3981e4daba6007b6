package io.ocicat.daemon;

import io.ocicat.base.BootId;
import io.ocicat.base.CrashPoints;
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
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/**
 * {@code ocicat plugin <name>} without the command line, which lives in a module above this one.
 */
final class OneShotMain {
  private OneShotMain() {}

  static void main(String[] arguments) throws IOException {
    OutputStream stdout = new FileOutputStream(FileDescriptor.out);
    Plugin plugin = Plugins.named(arguments[1], new Datastores()).orElseThrow();
    StateFolders folders = StateFolders.of(System.getenv());
    if (!folders.inUse()) {
      PluginExecutables ours = PluginExecutables.fromDistribution();
      PluginHost alone =
          PluginHost.process()
              .withExec(new InProcessExec(ours::find, new ProcessExec(), Namespaces.OWN));
      System.exit(PluginMain.run(plugin, alone, System.getenv(), System.in, stdout, System.err));
    }
    CrashPoints points = new StoppingPoints(Path.of(System.getProperty("test.control")));
    DaemonState state = new DaemonState(folders, BootId.current(), points);
    PluginReply reply =
        new OneShot(state, PluginExecutables.fromDistribution())
            .run(arguments[1], plugin, System.getenv(), System.in);
    System.err.print(reply.stderr());
    stdout.write(reply.stdout());
    System.exit(reply.exitCode());
  }
}
