package io.ocicat.cli.machine;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process that holds network, mount, process and UTS namespaces, and ends when this one does, for
 * whatever reason, unless {@link #keep} is called. Everything inside ends with it.
 */
public final class NamespaceHolder implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final ProcessHandle process;
  private final boolean users;
  private final Optional<Process> started;

  private NamespaceHolder(ProcessHandle process, boolean users, Optional<Process> started) {
    this.process = process;
    this.users = users;
    this.started = started;
  }

  /**
   * Creates the namespaces.
   *
   * @param users whether to use a user namespace, for users other than root
   * @param script what to do inside first, as process 1
   * @param name of that process, and then its arguments
   */
  public static NamespaceHolder open(boolean users, String script, String... name) {
    List<String> command = new ArrayList<>(List.of("setsid", "unshare"));
    if (users) {
      command.addAll(List.of("--user", "--map-root-user"));
    }
    command.addAll(
        List.of("--mount", "--net", "--uts", "--pid", "--mount-proc", "--fork", "--kill-child"));
    command.addAll(List.of("sh", "-c", script + "\n" + script(NamespaceHolder.class, "hold.sh")));
    command.addAll(List.of(name));
    try {
      Process process = new ProcessBuilder(command).start();
      NamespaceHolder holder = null;
      try {
        String said = firstLine(process.getInputStream());
        if (!said.equals("ready")) {
          throw new MachineException(
              "the namespaces could not be created: " + errorOutput(process));
        }
        holder =
            new NamespaceHolder(
                process.children().findFirst().orElseThrow(), users, Optional.of(process));
        return holder;
      } finally {
        if (holder == null) {
          process.destroyForcibly();
        }
      }
    } catch (IOException e) {
      throw new MachineException("cannot run unshare (package util-linux): " + e.getMessage(), e);
    }
  }

  /** One that was kept. */
  public static NamespaceHolder kept(ProcessHandle process, boolean users) {
    return new NamespaceHolder(process, users, Optional.empty());
  }

  /** The text of a script that is next to a class. */
  public static String script(Class<?> neighbour, String name) {
    try (InputStream script = neighbour.getResourceAsStream(name)) {
      if (script == null) {
        throw new IllegalStateException(name + " is missing in the jar");
      }
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String firstLine(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int read = in.read(); read >= 0 && read != '\n'; read = in.read()) {
      line.append((char) read);
    }
    return line.toString();
  }

  private static String errorOutput(Process process) throws IOException {
    return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8)
        .strip()
        .replaceAll("\\s*\\R\\s*", "; ");
  }

  public ProcessHandle process() {
    return process;
  }

  public boolean users() {
    return users;
  }

  /** The beginning of a command line that runs in the namespaces. */
  public List<String> enter() {
    List<String> line =
        new ArrayList<>(
            List.of("nsenter", "--target", Long.toString(process.pid()), "--mount", "--net"));
    line.addAll(List.of("--uts", "--pid"));
    if (users) {
      line.addAll(List.of("--user", "--preserve-credentials"));
    }
    return line;
  }

  /** Lets it outlive this process. */
  public void keep() {
    Process process = started.orElseThrow();
    try (OutputStream in = process.getOutputStream()) {
      in.write("keep\n".getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new MachineException("the namespaces are gone: " + e.getMessage(), e);
    }
  }

  /** Ends everything inside at once; returns when the kernel has done so. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.onExit().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new MachineException("process %d does not end".formatted(process.pid()), e);
    }
  }
}
