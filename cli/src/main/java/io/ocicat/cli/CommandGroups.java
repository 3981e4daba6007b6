package io.ocicat.cli;

import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Lists the commands in the help by topic, each with one sentence on one line. */
final class CommandGroups {
  private record Group(String heading, List<String> commands) {}

  private static final List<Group> GROUPS =
      List.of(
          new Group(
              "See what is going on",
              List.of("status", "why", "connectivity", "bgp", "trace", "doctor")),
          new Group("Networks and pods", List.of("demo", "cluster", "pod", "image", "net")),
          new Group(
              "Calico resources and addresses",
              List.of(
                  "get",
                  "create",
                  "apply",
                  "replace",
                  "patch",
                  "delete",
                  "label",
                  "annotate",
                  "ipam",
                  "datastore",
                  "crds")),
          new Group(
              "Install and run",
              List.of("install", "uninstall", "node", "daemon", "agent", "cri", "ipam-server")),
          new Group("For plugin developers", List.of("conformance", "plugin")),
          new Group("About ocicat itself", List.of("help", "version", "completion")));

  private CommandGroups() {}

  static CommandLine shownBy(CommandLine ocicat) {
    ocicat
        .getHelpSectionMap()
        .put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, _ -> System.lineSeparator());
    ocicat.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, CommandGroups::print);
    return ocicat;
  }

  private static String print(Help help) {
    Map<String, Help> commands = help.subcommands();
    int width = commands.keySet().stream().mapToInt(String::length).max().orElse(0);
    StringBuilder text = new StringBuilder();
    for (Group group : GROUPS) {
      text.append(group.heading()).append(':').append(System.lineSeparator());
      for (String name : group.commands()) {
        Help command = commands.get(name);
        if (command != null) {
          String[] sentences = command.commandSpec().usageMessage().description();
          text.append("  ")
              .append(help.colorScheme().commandText(name))
              .append(" ".repeat(width - name.length() + 2))
              .append(sentences.length == 0 ? "" : sentences[0])
              .append(System.lineSeparator());
        }
      }
    }
    return text.toString();
  }
}
