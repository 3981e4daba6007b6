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

/** {@code label} and {@code annotate}: change a resource's labels or annotations. */
abstract class MetadataCommand extends ResourceCommand {
  private final String member;
  private final String one;
  private final String done;

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
      description = "What to set, or with a trailing dash to remove.")
  private List<String> assignments = new ArrayList<>();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      description = "The namespace, of kinds that have one (default: default).")
  private @Nullable String namespace;

  @Option(names = "--overwrite", description = "Also those that have another value.")
  private boolean overwrite;

  @Option(names = "--remove", description = "Remove those named, as calicoctl is told to.")
  private boolean remove;

  /**
   * @param member of the metadata
   * @param one a member of that, for messages
   * @param done what the resource is then, for messages
   */
  private MetadataCommand(CommandContext context, String member, String one, String done) {
    super(context);
    this.member = member;
    this.one = one;
    this.done = done;
  }

  /** {@code ocicat label}: changes a resource's labels. */
  @Command(
      name = "label",
      description = "Set or remove labels of a resource.",
      footer = {"", "Example: ocicat label node node-1 rack=a"})
  static final class Label extends MetadataCommand {
    Label(CommandContext context) {
      super(context, "labels", "label", "labelled");
    }
  }

  /** {@code ocicat annotate}: changes a resource's annotations. */
  @Command(
      name = "annotate",
      description = "Set or remove annotations of a resource.",
      footer = {
        "",
        "Example: ocicat annotate namespace shop cni.projectcalico.org/ipv4pools='[\"blue\"]'"
      })
  static final class Annotate extends MetadataCommand {
    Annotate(CommandContext context) {
      super(context, "annotations", "annotation", "annotated");
    }
  }

  @Override
  protected int run() {
    ResourceSelector subject = new ResourceSelector();
    subject.kind = kind;
    subject.names = List.of(name);
    subject.namespace = namespace;
    Kind known = subject.kind();
    ResourceKey key = subject.keys().getFirst();
    ResourceChange.refuse(key, done);
    Map<String, Optional<String>> wanted = wanted();
    return withDatastore(
        datastore -> {
          ResourceChange.update(datastore, key, stored -> changed(stored, wanted));
          wanted.forEach(
              (label, value) ->
                  out()
                      .println(
                          "Successfully %s %s %s on %s %s"
                              .formatted(
                                  value.isPresent() ? "set" : "removed", one, label, known, name)));
          return 0;
        });
  }

  private Map<String, Optional<String>> wanted() {
    Map<String, Optional<String>> wanted = new LinkedHashMap<>();
    for (String text : assignments) {
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
                ? "with --remove %s is a name, not \"%s\"".formatted(article(), text)
                : "%s is KEY=VALUE, or KEY- to remove it, not \"%s\"".formatted(article(), text));
      }
    }
    return wanted;
  }

  private String article() {
    return (one.startsWith("a") ? "an " : "a ") + one;
  }

  private Resource changed(Resource stored, Map<String, Optional<String>> wanted) {
    Map<String, String> present = member.equals("labels") ? stored.labels() : stored.annotations();
    return stored.edit(
        document -> {
          ObjectNode changed = document.withObject("metadata").withObject(member);
          wanted.forEach(
              (label, value) -> {
                String old = present.get(label);
                if (value.isEmpty()) {
                  if (old == null) {
                    throw new CommandException(
                        "%s has no %s %s".formatted(stored.describe(), one, label));
                  }
                  changed.remove(label);
                } else if (old != null && !old.equals(value.get()) && !overwrite) {
                  throw new CommandException(
                      "%s has %s %s=%s already: --overwrite changes it"
                          .formatted(stored.describe(), one, label, old));
                } else {
                  changed.put(label, value.get());
                }
              });
        });
  }
}
