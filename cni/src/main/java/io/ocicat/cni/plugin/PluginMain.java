package io.ocicat.cni.plugin;

import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.PluginStdin;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Map;

/**
 * The main method of a plugin's executable:
 *
 * <pre>{@code
 * static void main() {
 *   PluginMain.main(new BridgePlugin());
 * }
 * }</pre>
 */
public final class PluginMain {
  private PluginMain() {}

  /** Serves the one call this process was started for, and exits. */
  public static void main(Plugin plugin) {
    int exitCode =
        run(
            plugin,
            PluginHost.process(),
            System.getenv(),
            System.in,
            new FileOutputStream(FileDescriptor.out),
            System.err);
    System.exit(exitCode);
  }

  /**
   * Serves one call and returns the exit code. Stdout belongs to the protocol: what the plugin or a
   * library prints there goes to stderr.
   */
  public static int run(
      Plugin plugin,
      PluginHost host,
      Map<String, String> environment,
      InputStream stdin,
      OutputStream stdout,
      PrintStream stderr) {
    PrintStream saved = System.out;
    System.setOut(stderr);
    try {
      PluginReply reply =
          Dispatcher.dispatch(
              plugin, host.withStderr(stderr::print), environment, PluginStdin.of(stdin));
      stdout.write(reply.stdout());
      stdout.flush();
      return reply.exitCode();
    } catch (IOException e) {
      stderr.println("cannot write the answer to stdout: " + e.getMessage());
      return 1;
    } finally {
      stderr.flush();
      System.setOut(saved);
    }
  }
}
