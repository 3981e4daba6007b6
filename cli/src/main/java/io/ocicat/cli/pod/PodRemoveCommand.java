package io.ocicat.cli.pod;

import io.ocicat.sandbox.pods.PodSandboxes;
import io.ocicat.sandbox.pods.SandboxFilter;
import io.ocicat.sandbox.pods.SandboxStatus;
import io.ocicat.sandbox.trace.PodTrace;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code ocicat pod rm}: removes pods. */
@Command(
    name = "rm",
    description = "Stop pods and remove everything that is left of them.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat pod rm web"})
final class PodRemoveCommand extends PodCommand.Sub {
  @Parameters(paramLabel = "POD", arity = "0..*", description = "Names or ids of pods.")
  private List<String> names = List.of();

  @Option(
      names = {"-a", "--all"},
      description = "All pods of all namespaces.")
  private boolean all;

  @Option(
      names = {"-f", "--force"},
      description = "Forget pods even if their network cannot be taken down.")
  private boolean force;

  PodRemoveCommand(PodContext context) {
    super(context);
  }

  @Override
  int call(PodSandboxes pods) {
    if (all != names.isEmpty()) {
      throw new ParameterException(commandLine(), "name pods, or give --all");
    }
    recover(pods);
    if (all) {
      for (SandboxStatus pod : pods.list(SandboxFilter.ALL)) {
        remove(pods, pod.id());
        out().println(pod.id());
      }
    }
    for (String name : names) {
      remove(pods, resolve(pods, name));
      out().println(name);
    }
    return 0;
  }

  private void remove(PodSandboxes pods, String id) {
    if (force) {
      pods.removeByForce(id, new PodTrace())
          .forEach(left -> err().println("ocicat: left behind: " + left));
    } else {
      pods.remove(id);
    }
  }
}
