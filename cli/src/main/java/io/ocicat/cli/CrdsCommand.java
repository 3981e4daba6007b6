package io.ocicat.cli;

import io.ocicat.base.json.Json;
import io.ocicat.base.yaml.YamlWriter;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.Crds;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code ocicat crds}: prints the custom resource definitions that the Kubernetes datastore needs
 * in a cluster.
 */
@Command(
    name = "crds",
    description = {
      "Print the definitions of Calico's resources for Kubernetes.",
      "A cluster has to know them before it can be the datastore."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat crds | kubectl apply -f -"})
final class CrdsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--group",
      paramLabel = "GROUP",
      defaultValue = "crd.projectcalico.org/v1",
      description =
          "Of which group: crd.projectcalico.org/v1 or projectcalico.org/v3 (default: ${DEFAULT-VALUE}).")
  private String group = "";

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() {
    ApiGroup wanted =
        Arrays.stream(ApiGroup.values())
            .filter(known -> known.apiVersion().equals(group))
            .findFirst()
            .orElseThrow(
                () ->
                    new ParameterException(
                        spec.commandLine(),
                        "--group must be crd.projectcalico.org/v1 or projectcalico.org/v3, not \"%s\""
                            .formatted(group)));
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      ObjectNode list = Json.object().put("apiVersion", "v1").put("kind", "List");
      list.putArray("items").addAll(Crds.of(wanted));
      out.println(Json.pretty(list));
    } else {
      Crds.of(wanted).forEach(definition -> out.print("---\n" + YamlWriter.write(definition)));
    }
    out.flush();
    return ExitCode.OK;
  }
}
