package io.ocicat.cli.resource;

import io.ocicat.base.Quoted;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.model.Shapes;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat patch}: changes parts of a resource. */
@Command(
    name = "patch",
    description = "Change some fields of a resource.",
    footer = {"", "Example: ocicat patch ippool blue -p '{\"spec\": {\"disabled\": true}}'"})
final class PatchCommand extends ResourceCommand {
  @Mixin ResourceSelector subject = new ResourceSelector();

  @Option(
      names = {"-p", "--patch"},
      required = true,
      paramLabel = "PATCH",
      description = "What to change, as JSON or YAML.")
  private String patch = "";

  @Option(
      names = {"-t", "--type"},
      paramLabel = "TYPE",
      defaultValue = "strategic",
      description =
          "strategic or merge: an object whose members replace those of the resource; json: a list"
              + " of operations (RFC 6902) (default: ${DEFAULT-VALUE}).")
  private String type = "strategic";

  PatchCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    if (subject.names.size() != 1) {
      throw new ParameterException(spec.commandLine(), "say KIND and one NAME");
    }
    Patch change =
        switch (type) {
          case "strategic", "merge" -> Patch.merge(patch);
          case "json" -> Patch.operations(patch);
          default ->
              throw new ParameterException(
                  spec.commandLine(),
                  "--type must be strategic, merge or json, not " + Quoted.brief(type));
        };
    ResourceKey key = subject.keys().getFirst();
    ResourceChange.refuse(key, "patched");
    return withDatastore(
        datastore -> {
          ResourceChange.update(datastore, key, stored -> patched(stored, change));
          out().println("Successfully patched 1 '%s' resource".formatted(key.kind()));
          return 0;
        });
  }

  private static Resource patched(Resource stored, Patch patch) {
    ObjectNode document = patch.apply(stored.content());
    ObjectNode before = stored.content();
    for (String kept : new String[] {"uid", "creationTimestamp"}) {
      if (document.get("metadata") instanceof ObjectNode metadata) {
        metadata.set(kept, before.path("metadata").path(kept));
      }
    }
    ObjectNode read = Shapes.asRead(stored.kind(), document);
    Resource patched =
        stored.edit(
            tree -> {
              tree.removeAll();
              tree.setAll(read);
            });
    List<String> unknown = new ArrayList<>(Shapes.unknownMembers(patched));
    // Members that a newer Calico stored are not the patch's fault.
    unknown.removeAll(Shapes.unknownMembers(stored));
    if (!unknown.isEmpty()) {
      throw new InvalidException(
          "%s has no field %s: correct or remove it"
              .formatted(stored.describe(), String.join(", ", unknown)));
    }
    return patched;
  }
}
