package io.ocicat.cli.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The temporary node of the demo: network, mount, process and UTS namespaces, held by a process
 * that ends when this one does, for whatever reason, unless {@link #keep} is called. Everything
 * inside ends with it. Commands run in these namespaces like the programs of a node.
 */
final class DemoNode implements AutoCloseable {
  static final String FOLDER = "/run/ocicat-demo";
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final DemoPrograms installed;
  private final ProcessHandle holder;
  private final boolean users;
  private final Optional<Process> started;

  private DemoNode(
      DemoPrograms installed, ProcessHandle holder, boolean users, Optional<Process> started) {
    this.installed = installed;
    this.holder = holder;
    this.users = users;
    this.started = started;
  }

  /**
   * @param users whether to use a user namespace, for users other than root
   */
  static DemoNode open(DemoPrograms installed, boolean users) {
    List<String> command = new ArrayList<>(List.of("setsid", "unshare"));
    if (users) {
      command.addAll(List.of("--user", "--map-root-user"));
    }
    command.addAll(
        List.of("--mount", "--net", "--uts", "--pid", "--mount-proc", "--fork", "--kill-child"));
    command.addAll(List.of("sh", "-c", script(), "ocicat-demo", installed.home().toString()));
    try {
      Process process = new ProcessBuilder(command).start();
      DemoNode node = null;
      try {
        String said = firstLine(process.getInputStream());
        if (!said.equals("ready")) {
          throw new DemoException("the node could not be created: " + errorOutput(process));
        }
        node =
            new DemoNode(
                installed,
                process.children().findFirst().orElseThrow(),
                users,
                Optional.of(process));
        return node;
      } finally {
        if (node == null) {
          process.destroyForcibly();
        }
      }
    } catch (IOException e) {
      throw new DemoException("cannot run unshare (package util-linux): " + e.getMessage(), e);
    }
  }

  /** A node that was kept. */
  static DemoNode kept(DemoPrograms installed, ProcessHandle holder, boolean users) {
    return new DemoNode(installed, holder, users, Optional.empty());
  }

  private static String script() {
    try (InputStream script = DemoNode.class.getResourceAsStream("stage.sh")) {
      if (script == null) {
        throw new IllegalStateException("stage.sh is missing in the jar");
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

  ProcessHandle holder() {
    return holder;
  }

  boolean users() {
    return users;
  }

  /** Prefixes a command line so that it runs on the node. */
  List<String> inside(String... command) {
    List<String> line =
        new ArrayList<>(
            List.of("nsenter", "--target", Long.toString(holder.pid()), "--mount", "--net"));
    line.addAll(List.of("--uts", "--pid"));
    if (users) {
      line.addAll(List.of("--user", "--preserve-credentials"));
    }
    line.add("env");
    variables().forEach((name, value) -> line.add(name + "=" + value));
    line.addAll(List.of(command));
    return line;
  }

  private Map<String, String> variables() {
    Map<String, String> variables = new TreeMap<>();
    variables.put("NETCONFPATH", FOLDER + "/net.d");
    variables.put("CNI_PATH", installed.plugins().toString());
    variables.put("OCICAT_RUN_DIR", "/run/ocicat");
    variables.put("OCICAT_STATE_DIR", "/var/lib/ocicat");
    variables.put("DATASTORE_TYPE", "embedded");
    variables.put("PATH", installed.launcher().getParent() + ":" + DemoPrograms.path());
    return variables;
  }

  /** The output of a command that must succeed. */
  String run(String... command) {
    FinishedCommand finished = attempt(command);
    if (finished.code() != 0) {
      throw new DemoException(
          "`%s` failed: %s".formatted(String.join(" ", command), finished.errorOutput()));
    }
    return finished.out();
  }

  FinishedCommand attempt(String... command) {
    return FinishedCommand.of(inside(command), TIMEOUT);
  }

  /** The same with ocicat's own commands. */
  String ocicat(String... arguments) {
    List<String> command = new ArrayList<>(List.of(installed.launcher().toString()));
    command.addAll(List.of(arguments));
    return run(command.toArray(String[]::new));
  }

  void write(Path file, String content) {
    run("sh", "-c", "printf %s \"$2\" >\"$1\"", "sh", file.toString(), content);
  }

  /** Lets the node outlive this process. */
  void keep() {
    Process process = started.orElseThrow();
    try (OutputStream in = process.getOutputStream()) {
      in.write("keep\n".getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new DemoException("the node is gone: " + e.getMessage(), e);
    }
  }

  /** Ends everything inside at once; returns when the kernel has done so. */
  @Override
  public void close() {
    holder.destroyForcibly();
    try {
      holder.onExit().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new DemoException("process %d does not end".formatted(holder.pid()), e);
    }
  }
}
