package io.ocicat.cli.resource;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name the files of a command, and their reading. */
final class FileOptions {
  @Option(
      names = {"-f", "--filename"},
      paramLabel = "FILE",
      description =
          "YAML or JSON documents: a file, a directory of .yaml, .yml and .json files, or - for"
              + " standard input. May be repeated.")
  List<String> files = new ArrayList<>();

  @Option(
      names = {"-R", "--recursive"},
      description = "Also directories within a directory.")
  boolean recursive;

  @Option(names = "--skip-empty", description = "Ignore files without resources.")
  boolean skipEmpty;

  /**
   * The resources in all of them.
   *
   * @throws RejectedException naming everything that is wrong
   */
  List<Manifest> read(@Nullable String namespace, CommandContext context) {
    List<Manifest> manifests = Manifests.read(files, recursive, namespace, context.stdin());
    if (manifests.isEmpty() && !skipEmpty) {
      throw new RejectedException(
          List.of(
              "%s: no resource in it; --skip-empty if that is right"
                  .formatted(String.join(", ", files))));
    }
    return manifests;
  }
}
