package io.ocicat.cli.inspect;

import io.ocicat.daemon.state.BootId;
import io.ocicat.daemon.state.Folders;
import io.ocicat.daemon.state.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The machine that commands look at.
 *
 * @param folders what the daemon and its calls keep
 * @param root where the files of other programs are found below
 * @param ownPlugins the plugins of this distribution, if it is one
 * @param colours whether the terminal shows them
 */
public record Site(Folders folders, Path root, Optional<Path> ownPlugins, boolean colours) {
  /** This machine, printing to this process's terminal if it has one. */
  public static Site here(Map<String, String> environment, Optional<Path> ownPlugins) {
    boolean plain =
        environment.containsKey("NO_COLOR")
            || environment.getOrDefault("TERM", "dumb").equals("dumb");
    return new Site(
        Folders.of(environment), Path.of("/"), ownPlugins, !plain && printsToTerminal());
  }

  /** Asked of /proc, for {@link System#console} would load a line editor. */
  private static boolean printsToTerminal() {
    try {
      Path output = Files.readSymbolicLink(Path.of("/proc/self/fd/1"));
      return output.startsWith("/dev/pts") || output.startsWith("/dev/console");
    } catch (IOException _) {
      return false;
    }
  }

  /** What the files say, with or without a daemon. */
  public State state() {
    return new State(folders, BootId.current());
  }
}
