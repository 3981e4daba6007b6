package io.ocicat.cli.resource;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;

/**
 * What the commands take from the process they run in.
 *
 * @param configFile calicoctl's, when none is named; need not exist
 * @param colours whether the terminal shows them
 */
public record Surroundings(
    Map<String, String> environment, Path configFile, InputStream stdin, boolean colours) {
  private static final Path CONFIG_FILE = Path.of("/etc/calico/calicoctl.cfg");

  public Surroundings {
    environment = Map.copyOf(environment);
  }

  public static Surroundings ofProcess(Map<String, String> environment, boolean colours) {
    return new Surroundings(environment, CONFIG_FILE, System.in, colours);
  }
}
