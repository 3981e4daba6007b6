package io.ocicat.cli;

import io.ocicat.base.json.Json;
import io.ocicat.cli.options.Version;
import io.ocicat.daemon.metrics.BuildInfo;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ocicat version}: prints the same as {@code --version}. */
@Command(
    name = "version",
    description = "Print the version, the commit and the JDK.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat version --json"})
final class VersionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() {
    if (json) {
      BuildInfo build = Version.build();
      spec.commandLine()
          .getOut()
          .println(
              Json.pretty(
                  Json.object()
                      .put("version", build.version())
                      .put("commit", build.commit())
                      .put("jdk", Version.jdk())));
    } else {
      spec.commandLine().printVersionHelp(spec.commandLine().getOut());
    }
    return ExitCode.OK;
  }
}
