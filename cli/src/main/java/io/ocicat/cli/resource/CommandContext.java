package io.ocicat.cli.resource;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;

/**
 * The environment that resource commands need from their process.
 *
 * @param configFile calicoctl's, when none is given; need not exist
 * @param colours whether the terminal shows them
 */
public record CommandContext(
    Map<String, String> environment, Path configFile, InputStream stdin, boolean colours) {
  private static final Path CONFIG_FILE = Path.of("/etc/calico/calicoctl.cfg");

  public CommandContext {
    environment = Map.copyOf(environment);
  }

  public static CommandContext ofProcess(Map<String, String> environment, boolean colours) {
    return new CommandContext(environment, CONFIG_FILE, System.in, colours);
  }
}
