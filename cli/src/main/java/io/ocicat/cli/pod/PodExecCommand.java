package io.ocicat.cli.pod;

import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.pods.PodSandboxes;
import io.ocicat.sandbox.store.ContainerRecord;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code ocicat pod exec}: runs a command in a pod. */
@Command(
    name = "exec",
    description = {
      "Run a program in a pod's namespaces.",
      "Those are its network, and its host name, IPC and processes if a process holds it. The program sees the host's files, with the pod's resolv.conf.",
      "With --container, run it in a container that a CRI client created, with the container's own files."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat pod exec web -- ip address"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:with --detach, the program was started; else that is its own exit code",
      "1:the program's own, or it could not be run",
      "2:the program's own, or the command line is invalid",
      "128+N:the program was ended by signal N"
    })
final class PodExecCommand extends PodCommand.Sub {
  @Parameters(index = "0", paramLabel = "POD", description = "The pod's name or id.")
  private String name = "";

  @Parameters(
      index = "1..*",
      paramLabel = "COMMAND",
      arity = "1..*",
      description = "What to run, behind --.")
  private List<String> command = List.of();

  @Option(
      names = {"-d", "--detach"},
      description = "In the background, as one more container of the pod; it ends with the pod.")
  private boolean detach;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = "exec",
      description =
          "The container's name, with --detach (default: ${DEFAULT-VALUE}); its log is <name>/0.log.")
  private String container = "exec";

  @Option(
      names = {"-c", "--container"},
      paramLabel = "NAME",
      description = "A container of the pod, by its name or id.")
  private @Nullable String target;

  PodExecCommand(PodContext context) {
    super(context);
  }

  @Override
  int call(PodSandboxes pods) {
    String id = resolve(pods, name);
    if (target != null) {
      if (detach) {
        throw new ParameterException(commandLine(), "--detach cannot be given with --container");
      }
      String containerId = PodContainers.find(containers(), id, target).id();
      return ContainerTerminal.run(containers().exec(containerId, command, false, true));
    }
    if (detach) {
      ContainerRecord started = pods.start(id, container, command);
      out().println(started.process().pid());
      return 0;
    }
    try {
      return new ProcessBuilder(pods.commandIn(id, command)).inheritIO().start().waitFor();
    } catch (IOException e) {
      throw new SandboxException(
          Reason.FAILED, "cannot run nsenter, which enters pods: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException(Reason.FAILED, "interrupted", e);
    }
  }
}
