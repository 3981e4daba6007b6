package io.ocicat.cli.resource;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Arguments that select resources: a kind, names of it, a namespace. */
final class ResourceSelector {
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "KIND",
      completionCandidates = KindNames.Candidates.class,
      description = "ippool, wep, node, … in singular, plural or short.")
  @Nullable String kind;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "NAME",
      description = "Names of that kind.")
  List<String> names = new ArrayList<>();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      description = "The namespace, of kinds that have one (default: default).")
  @Nullable String namespace;

  Kind kind() {
    String name = kind;
    if (name == null) {
      throw new UsageException(
          "say which kind is meant, as in ippool, or with -f where documents are");
    }
    Kind found = KindNames.parse(name);
    if (namespace != null && !found.isNamespaced()) {
      throw new UsageException("%s has no namespace: leave out -n".formatted(found));
    }
    return found;
  }

  List<ResourceKey> keys() {
    Kind known = kind();
    return names.stream().map(name -> ResourceForm.key(known, namespace(), name)).toList();
  }

  String namespace() {
    return namespace == null ? "default" : namespace;
  }

  ResourceQuery query(boolean everywhere) {
    Kind known = kind();
    if (known.isNamespaced()) {
      return everywhere ? ResourceQuery.of(known) : ResourceQuery.in(known, namespace());
    }
    if (everywhere) {
      throw new UsageException("%s has no namespace: leave out -A".formatted(known));
    }
    return ResourceQuery.of(known);
  }
}
