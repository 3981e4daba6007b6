package io.ocicat.cli.resource;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.resource.Resource;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code ocicat delete}: deletes resources. */
@Command(
    name = "delete",
    description = "Delete resources, by name or as documents name them.",
    footer = {"", "Example: ocicat delete ippool blue"})
final class DeleteCommand extends ResourceCommand {
  @Mixin ResourceSelector subject = new ResourceSelector();
  @Mixin FileOptions files = new FileOptions();

  @Option(
      names = {"-s", "--skip-not-exists"},
      description = "Ignore resources that do not exist.")
  private boolean skipNotExists;

  DeleteCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    List<Manifest> manifests = manifests();
    return withDatastore(
        datastore ->
            new ResourceBatch(datastore, ResourceChange.DELETE, skipNotExists)
                .run(manifests, out()));
  }

  private List<Manifest> manifests() {
    if (subject.kind != null && !files.files.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "use either KIND and NAME or -f");
    }
    if (!files.files.isEmpty()) {
      // Later documents depend on earlier ones: a policy on its tier.
      return files.read(subject.namespace, context).reversed();
    }
    if (subject.kind().isIpam() || !subject.names.isEmpty()) {
      return subject.keys().stream()
          .map(key -> new Manifest("", Resource.of(key, Json.object())))
          .toList();
    }
    throw new ParameterException(
        spec.commandLine(), "say which %s is to be deleted".formatted(subject.kind()));
  }
}
