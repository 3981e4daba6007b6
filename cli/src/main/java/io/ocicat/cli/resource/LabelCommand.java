package io.ocicat.cli.resource;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat label}: changes a resource's labels. */
@Command(
    name = "label",
    description = "Set or remove labels of a resource.",
    footer = {"", "Example: ocicat label node node-1 rack=a"})
final class LabelCommand extends ResourceCommand {
  @Parameters(
      index = "0",
      paramLabel = "KIND",
      completionCandidates = KindNames.Candidates.class,
      description = "ippool, wep, node, … in singular, plural or short.")
  private String kind = "";

  @Parameters(index = "1", paramLabel = "NAME", description = "Its name.")
  private String name = "";

  @Parameters(
      index = "2..*",
      arity = "1..*",
      paramLabel = "KEY=VALUE|KEY-",
      description = "A label to set, or with a trailing dash to remove.")
  private List<String> labels = new ArrayList<>();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      description = "The namespace, of kinds that have one (default: default).")
  private @Nullable String namespace;

  @Option(names = "--overwrite", description = "Also labels that have another value.")
  private boolean overwrite;

  @Option(names = "--remove", description = "Remove the labels named, as calicoctl is told to.")
  private boolean remove;

  LabelCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    ResourceSelector subject = new ResourceSelector();
    subject.kind = kind;
    subject.names = List.of(name);
    subject.namespace = namespace;
    Kind known = subject.kind();
    ResourceKey key = subject.keys().getFirst();
    ResourceChange.refuse(key, "labelled");
    Map<String, Optional<String>> wanted = wanted();
    return withDatastore(
        datastore -> {
          ResourceChange.update(datastore, key, stored -> labelled(stored, wanted));
          wanted.forEach(
              (label, value) ->
                  out()
                      .println(
                          "Successfully %s label %s on %s %s"
                              .formatted(
                                  value.isPresent() ? "set" : "removed", label, known, name)));
          return 0;
        });
  }

  private Map<String, Optional<String>> wanted() {
    Map<String, Optional<String>> wanted = new LinkedHashMap<>();
    for (String text : labels) {
      int equals = text.indexOf('=');
      if (remove && equals < 0) {
        wanted.put(text, Optional.empty());
      } else if (equals > 0 && !remove) {
        wanted.put(text.substring(0, equals), Optional.of(text.substring(equals + 1)));
      } else if (text.endsWith("-") && text.length() > 1 && equals < 0) {
        wanted.put(text.substring(0, text.length() - 1), Optional.empty());
      } else {
        throw new ParameterException(
            spec.commandLine(),
            remove
                ? "with --remove a label is a name, not \"%s\"".formatted(text)
                : "a label is KEY=VALUE, or KEY- to remove it, not \"%s\"".formatted(text));
      }
    }
    return wanted;
  }

  private Resource labelled(Resource stored, Map<String, Optional<String>> wanted) {
    Map<String, String> present = stored.labels();
    return stored.edit(
        document -> {
          ObjectNode changed = document.withObject("metadata").withObject("labels");
          wanted.forEach(
              (label, value) -> {
                String old = present.get(label);
                if (value.isEmpty()) {
                  if (old == null) {
                    throw new CommandException(
                        "%s has no label %s".formatted(stored.describe(), label));
                  }
                  changed.remove(label);
                } else if (old != null && !old.equals(value.get()) && !overwrite) {
                  throw new CommandException(
                      "%s has label %s=%s already: --overwrite changes it"
                          .formatted(stored.describe(), label, old));
                } else {
                  changed.put(label, value.get());
                }
              });
        });
  }
}
