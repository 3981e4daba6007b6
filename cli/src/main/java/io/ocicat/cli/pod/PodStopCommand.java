package io.ocicat.cli.pod;

import io.ocicat.sandbox.pods.PodSandboxes;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ocicat pod stop}: stops pods. */
@Command(
    name = "stop",
    description = "End the processes of pods and take their networks down.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat pod stop web"})
final class PodStopCommand extends PodCommand.Sub {
  @Parameters(paramLabel = "POD", arity = "1..*", description = "Names or ids of pods.")
  private List<String> names = List.of();

  PodStopCommand(PodContext context) {
    super(context);
  }

  @Override
  int call(PodSandboxes pods) {
    recover(pods);
    for (String name : names) {
      pods.stop(resolve(pods, name));
      out().println(name);
    }
    return 0;
  }
}
