package io.ocicat.cli.resource;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code create}, {@code apply} and {@code replace}: write the resources of documents. */
abstract class WriteCommand extends ResourceCommand {
  private final ResourceChange change;

  @Mixin FileOptions files = new FileOptions();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      description = "The namespace of documents that name none (default: default).")
  @Nullable String namespace;

  WriteCommand(CommandContext context, ResourceChange change) {
    super(context);
    this.change = change;
  }

  boolean lenient() {
    return false;
  }

  @Override
  protected int run() {
    if (files.files.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "say with -f where the documents are");
    }
    List<Manifest> manifests = files.read(namespace, context);
    return withDatastore(
        datastore -> new ResourceBatch(datastore, change, lenient()).run(manifests, out()));
  }

  /** {@code ocicat create}: creates resources; fails when one exists. */
  @Command(
      name = "create",
      description = {"Create resources.", "Those that exist are left alone and count as errors."},
      footer = {"", "Example: ocicat create -f pools.yaml"})
  static final class Create extends WriteCommand {
    @Option(names = "--skip-exists", description = "Ignore resources that exist.")
    private boolean skipExists;

    Create(CommandContext context) {
      super(context, ResourceChange.CREATE);
    }

    @Override
    boolean lenient() {
      return skipExists;
    }
  }

  /** {@code ocicat apply}: creates or replaces resources. */
  @Command(
      name = "apply",
      description = {
        "Create resources, or update those that exist.",
        "Those that exist get the spec, labels and annotations of the document."
      },
      footer = {"", "Example: ocicat apply -f pools.yaml"})
  static final class Apply extends WriteCommand {
    Apply(CommandContext context) {
      super(context, ResourceChange.APPLY);
    }
  }

  /** {@code ocicat replace}: replaces resources; fails when one does not exist. */
  @Command(
      name = "replace",
      description = {
        "Update resources that exist.",
        "They get the spec, labels and annotations of the document."
      },
      footer = {"", "Example: ocicat replace -f pools.yaml"})
  static final class Replace extends WriteCommand {
    Replace(CommandContext context) {
      super(context, ResourceChange.REPLACE);
    }
  }
}
