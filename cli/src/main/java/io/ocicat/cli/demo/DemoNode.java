package io.ocicat.cli.demo;

import io.ocicat.cli.machine.FinishedCommand;
import io.ocicat.cli.machine.InstalledPrograms;
import io.ocicat.cli.machine.MachineException;
import io.ocicat.cli.machine.NamespaceHolder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The temporary node of the demo: namespaces in which commands run like the programs of a node. It
 * ends when this process does, for whatever reason, unless {@link #keep} is called.
 */
final class DemoNode implements AutoCloseable {
  static final String FOLDER = "/run/ocicat-demo";
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final InstalledPrograms installed;
  private final NamespaceHolder namespaces;

  DemoNode(InstalledPrograms installed, NamespaceHolder namespaces) {
    this.installed = installed;
    this.namespaces = namespaces;
  }

  /**
   * @param users whether to use a user namespace, for users other than root
   */
  static DemoNode open(InstalledPrograms installed, boolean users) {
    return new DemoNode(
        installed,
        NamespaceHolder.open(
            users,
            NamespaceHolder.script(DemoNode.class, "stage.sh"),
            "ocicat-demo",
            installed.home().toString()));
  }

  ProcessHandle holder() {
    return namespaces.process();
  }

  boolean users() {
    return namespaces.users();
  }

  /** Prefixes a command line so that it runs on the node. */
  List<String> inside(String... command) {
    List<String> line = namespaces.enter();
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
    variables.put("PATH", installed.searchPath());
    return variables;
  }

  /** The output of a command that must succeed. */
  String run(String... command) {
    FinishedCommand finished = attempt(command);
    if (finished.code() != 0) {
      throw new MachineException(
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
    namespaces.keep();
  }

  /** Ends everything inside at once; returns when the kernel has done so. */
  @Override
  public void close() {
    namespaces.close();
  }
}
