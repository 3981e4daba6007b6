package io.ocicat.cli.pod;

import io.ocicat.base.json.Json;
import io.ocicat.sandbox.pods.PodSandboxes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ocicat pod inspect}: prints a pod as JSON. */
@Command(
    name = "inspect",
    description = "Print all that is known of a pod, as JSON.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat pod inspect web"})
final class PodInspectCommand extends PodCommand.Sub {
  @Parameters(paramLabel = "POD", description = "The pod's name or id.")
  private String name = "";

  PodInspectCommand(PodContext context) {
    super(context);
  }

  @Override
  int call(PodSandboxes pods) {
    out().println(Json.pretty(PodJson.of(pods.status(resolve(pods, name)))));
    return 0;
  }
}
