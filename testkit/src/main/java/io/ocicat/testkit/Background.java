package io.ocicat.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A running command. Closing kills it with all its descendants.
 *
 * <p>Input and output go through files rather than pipes: nothing needs to be pumped, and a daemon
 * that inherited the output cannot keep a reader waiting for its end.
 */
public final class Background implements AutoCloseable {

  private static final Duration KILLED_WITHIN = Duration.ofSeconds(10);

  private final Command command;
  private final Process process;
  private final Path files;

  private Background(Command command, Process process, Path files) {
    this.command = command;
    this.process = process;
    this.files = files;
  }

  static Background start(Command command) {
    List<String> argv = new ArrayList<>(command.argv());
    argv.set(0, Tool.locate(argv.getFirst()));
    try {
      Path files = Files.createTempDirectory("ocicat-command-");
      try {
        Files.writeString(files.resolve("stdin"), command.stdin());
        ProcessBuilder builder =
            new ProcessBuilder(argv)
                .directory(command.directory().toFile())
                .redirectInput(files.resolve("stdin").toFile())
                .redirectOutput(files.resolve("stdout").toFile())
                .redirectError(files.resolve("stderr").toFile());
        builder.environment().putAll(command.environment());
        return new Background(command, builder.start(), files);
      } catch (IOException e) {
        delete(files);
        throw e;
      }
    } catch (IOException e) {
      throw new TestkitException("cannot start %s: %s".formatted(command, e.getMessage()), e);
    }
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return ProcessStatus.isRunning(process.toHandle());
  }

  /** Its output so far. */
  public String stdout() {
    return read("stdout");
  }

  /** Its error output so far. */
  public String stderr() {
    return read("stderr");
  }

  /** Waits for its end; after the limit it is killed and an exception shows its output so far. */
  public Output await(Duration limit) {
    if (endsWithin(limit)) {
      return new Output(command.argv(), process.exitValue(), stdout(), stderr());
    }
    kill();
    throw new TestkitException(
        "command still running after %s, killed: %s\n%s%s"
            .formatted(
                limit,
                command,
                Output.block("stdout", stdout()),
                Output.block("stderr", stderr())));
  }

  /** Asks it to end (SIGTERM) and waits for that. */
  public Output stop(Duration limit) {
    process.destroy();
    return await(limit);
  }

  @Override
  public void close() {
    try {
      kill();
    } finally {
      delete(files);
    }
  }

  private void kill() {
    // Descendants first: once their parent is dead they cannot be found any more.
    List<ProcessHandle> all =
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    Eventually.await(
        "the end, after SIGKILL, of " + command,
        KILLED_WITHIN,
        () -> all.stream().noneMatch(ProcessStatus::isRunning));
  }

  private boolean endsWithin(Duration limit) {
    try {
      return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("interrupted while waiting for " + command, e);
    }
  }

  private String read(String stream) {
    try {
      return new String(Files.readAllBytes(files.resolve(stream)), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the %s of %s".formatted(stream, command), e);
    }
  }

  private static void delete(Path files) {
    if (Files.notExists(files)) {
      return; // Already closed, by its host or by its own user.
    }
    try (Stream<Path> entries = Files.list(files)) {
      for (Path entry : entries.toList()) {
        Files.delete(entry);
      }
      Files.delete(files);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + files, e);
    }
  }
}
