package io.ocicat.cli.options;

import io.ocicat.base.BootId;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.plugins.calicocluster.NodeName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The machine that commands inspect.
 *
 * @param folders of the daemon and its calls
 * @param root below which the files of other programs are found
 * @param ours finds which executables are our plugins
 * @param colours whether the terminal shows them
 * @param environment the variables that commands read
 */
public record NodeContext(
    StateFolders folders,
    Path root,
    PluginExecutables ours,
    boolean colours,
    Map<String, String> environment) {
  public NodeContext {
    environment = Map.copyOf(environment);
  }

  /** This machine, printing to this process's terminal if it has one. */
  public static NodeContext here(Map<String, String> environment, PluginExecutables ours) {
    return new NodeContext(
        StateFolders.of(environment), Path.of("/"), ours, showsColours(environment), environment);
  }

  /** The value of a variable that is set and not empty. */
  public Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  /** This node's name in its cluster: NODENAME, else calico/node's file, else the host name. */
  public String nodeName() {
    return new NodeName(
            variable("NODENAME").orElse(""), root.resolve("var/lib/calico/nodename"), true, "")
        .require();
  }

  /** Whether standard output is a terminal, and the user has not asked for plain text. */
  public static boolean showsColours(Map<String, String> environment) {
    return environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !environment.getOrDefault("TERM", "dumb").equals("dumb")
        && printsToTerminal();
  }

  /** Read from /proc, because {@link System#console} would load a line editor. */
  private static boolean printsToTerminal() {
    try {
      Path output = Files.readSymbolicLink(Path.of("/proc/self/fd/1"));
      return output.startsWith("/dev/pts") || output.startsWith("/dev/console");
    } catch (IOException _) {
      return false;
    }
  }

  /** The records in the files, with or without a daemon. */
  public DaemonState state() {
    return new DaemonState(folders, BootId.current());
  }
}
