package io.ocicat.testkit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An immutable command line and how to run it, which can be run many times.
 *
 * <p>Standard input is empty unless given. Output is captured whole. A command that outlives its
 * limit is killed with all its descendants.
 */
public record Command(
    List<String> argv,
    Map<String, String> environment,
    Path directory,
    String stdin,
    Duration limit) {

  /** Long enough for a loaded machine; it only bounds what hangs. */
  private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(30);

  public Command {
    if (argv.isEmpty()) {
      throw new IllegalArgumentException("a command needs at least a program");
    }
    argv = List.copyOf(argv);
    environment = Map.copyOf(environment);
  }

  public static Command of(String... argv) {
    return of(List.of(argv));
  }

  public static Command of(List<String> argv) {
    return new Command(argv, Map.of(), Path.of("").toAbsolutePath(), "", DEFAULT_LIMIT);
  }

  /** With one variable set on top of those of this JVM. */
  public Command env(String name, String value) {
    Map<String, String> more = new HashMap<>(environment);
    more.put(name, value);
    return new Command(argv, more, directory, stdin, limit);
  }

  public Command in(Path directory) {
    return new Command(argv, environment, directory, stdin, limit);
  }

  public Command stdin(String text) {
    return new Command(argv, environment, directory, text, limit);
  }

  public Command limit(Duration limit) {
    return new Command(argv, environment, directory, stdin, limit);
  }

  /** Runs to the end; an exit code other than 0 is an exception that shows the whole output. */
  public Output run() {
    Output output = attempt();
    if (!output.succeeded()) {
      throw new TestkitException("command failed: " + output);
    }
    return output;
  }

  /** Runs to the end, whatever the exit code. */
  public Output attempt() {
    try (Background process = start()) {
      return process.await(limit);
    }
  }

  /** Starts without waiting. The limit does not apply: the owner closes it. */
  public Background start() {
    return Background.start(this);
  }

  @Override
  public String toString() {
    return String.join(" ", argv);
  }
}
