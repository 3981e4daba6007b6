package io.ocicat.cli.resource;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.selector.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat get}: prints resources. */
@Command(
    name = "get",
    description = "Show resources: all of a kind, by name, or those in a file.",
    footer = {"", "Example: ocicat get ippools -o wide"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:shown",
      "1:some is not there, or cannot be read",
      "2:the command line is invalid; nothing was done"
    })
final class GetCommand extends ResourceCommand {
  @Mixin ResourceSelector subject = new ResourceSelector();
  @Mixin FileOptions files = new FileOptions();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "ps",
      description =
          "ps, wide, yaml, json, name, custom-columns=NAME,UID:.metadata.uid or jsonpath='{…}' (default: ${DEFAULT-VALUE}).")
  private String output = "ps";

  @Option(names = "--json", description = "Print JSON: the same as -o json.")
  private boolean json;

  @Option(
      names = {"-A", "-a", "--all-namespaces"},
      description = "Those of every namespace.")
  private boolean everywhere;

  @Option(
      names = {"-l", "--selector"},
      paramLabel = "SELECTOR",
      description = "Only those with such labels, in Calico's language: role == 'db' && has(tier).")
  private @Nullable String selector;

  @Option(
      names = "--export",
      description = "Without what only this datastore knows, to be created elsewhere; needs names.")
  private boolean export;

  @Option(
      names = {"-w", "--watch"},
      description = "Then show each change as it happens.")
  private boolean watch;

  @Option(names = "--timeout", paramLabel = "SECONDS", description = "End the watch after so long.")
  private @Nullable Integer timeout;

  GetCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    Format format = Format.parse(json ? "json" : output);
    Predicate<Resource> wanted = wanted();
    if (!files.files.isEmpty()) {
      if (subject.kind != null || watch || everywhere) {
        throw new ParameterException(
            spec.commandLine(), "with -f neither a kind nor -A nor --watch makes sense");
      }
      List<ResourceKey> keys =
          files.read(subject.namespace, context).stream()
              .map(manifest -> manifest.resource().key())
              .toList();
      return withDatastore(datastore -> named(datastore, format, wanted, keys));
    }
    Kind kind = subject.kind();
    if (everywhere && !subject.names.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "with -A no name makes sense: use -n");
    }
    if (selector != null && kind.isIpam()) {
      throw new UsageException("%s has no labels: leave out -l".formatted(kind));
    }
    if (export && subject.names.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "--export needs names");
    }
    if (!subject.names.isEmpty()) {
      if (watch) {
        throw new ParameterException(
            spec.commandLine(), "--watch shows all of a kind: leave out names");
      }
      return withDatastore(datastore -> named(datastore, format, wanted, subject.keys()));
    }
    if (kind == Kind.IPAM_CONFIG) {
      return withDatastore(
          datastore -> named(datastore, format, wanted, List.of(new ResourceKey.IpamConfig())));
    }
    ResourceQuery query = subject.query(everywhere);
    return withDatastore(
        datastore ->
            watch
                ? watch(datastore, format, wanted, query)
                : all(datastore, format, wanted, query));
  }

  private Predicate<Resource> wanted() {
    if (selector == null) {
      return _ -> true;
    }
    try {
      Selector parsed = Selector.parse(selector);
      return resource -> parsed.matches(resource.labels());
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          "-l \"%s\" is not a selector: %s".formatted(selector, e.getMessage()), e);
    }
  }

  private Printer printer(Datastore datastore, Format format) {
    boolean showNamespace = everywhere || subject.namespace != null;
    return new Printer(format, showNamespace, context.colours(), datastore);
  }

  private int all(
      Datastore datastore, Format format, Predicate<Resource> wanted, ResourceQuery query) {
    ResourcePage page = datastore.list(query);
    List<Resource> items = new ArrayList<>(page.items().stream().filter(wanted).toList());
    if (query.kind() == Kind.TIER) {
      items.sort(Comparator.comparingDouble(GetCommand::order));
    }
    printer(datastore, format).list(query.kind(), items, page.revision(), out());
    page.unreadable().forEach(it -> err().println("ocicat: " + oneLine(it.problem())));
    if (items.isEmpty() && page.unreadable().isEmpty()) {
      err()
          .println(
              "no %s found%s"
                  .formatted(
                      query.kind(),
                      query.kind().isNamespaced() && !everywhere
                          ? " in namespace " + subject.namespace()
                          : ""));
    }
    return page.unreadable().isEmpty() ? 0 : 1;
  }

  private static double order(Resource tier) {
    return tier.<Double>read(
        content -> content.path("spec").path("order").asDouble(Double.MAX_VALUE));
  }

  private int watch(
      Datastore datastore, Format format, Predicate<Resource> wanted, ResourceQuery query) {
    new Watcher(datastore, query, wanted, format, printer(datastore, format), out(), err())
        .run(timeout == null ? null : Duration.ofSeconds(timeout));
    return 0;
  }

  /** Kind by kind, in the order they were named; a missing resource does not hide the rest. */
  private int named(
      Datastore datastore, Format format, Predicate<Resource> wanted, List<ResourceKey> keys) {
    Map<Kind, List<Resource>> found = new LinkedHashMap<>();
    List<String> missing = new ArrayList<>();
    for (ResourceKey key : keys) {
      try {
        Resource resource = datastore.get(key);
        if (wanted.test(resource)) {
          found.computeIfAbsent(key.kind(), _ -> new ArrayList<>()).add(resource);
        }
      } catch (NotFoundException | CorruptException | InvalidException e) {
        missing.add(describe(e));
      }
    }
    Printer printer = printer(datastore, format);
    boolean documents =
        !(format instanceof Format.Rows
            || format instanceof Format.CustomColumns
            || format instanceof Format.Name);
    if (documents && found.isEmpty() && missing.isEmpty()) {
      // None has the labels: a program that reads documents still has to get one.
      printer.document(Json.array(), out());
    } else if (documents && !found.isEmpty()) {
      List<Resource> all = found.values().stream().flatMap(List::stream).toList();
      printer.named(all.getFirst().kind(), all.stream().map(this::document).toList(), all, out());
    } else {
      found.forEach((kind, items) -> printer.named(kind, List.of(), items, out()));
    }
    missing.forEach(problem -> err().println("ocicat: " + problem));
    return missing.isEmpty() ? 0 : 1;
  }

  private static String describe(DatastoreException e) {
    return oneLine(String.valueOf(e.getMessage()));
  }

  private ObjectNode document(Resource resource) {
    ObjectNode document = ResourceForm.document(resource);
    if (export && document.get("metadata") instanceof ObjectNode metadata) {
      metadata.remove(List.of("namespace", "uid", "resourceVersion", "creationTimestamp"));
    }
    return document;
  }
}
