package io.ocicat.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;

/** All commands by their names. */
public final class CommandTree {
  private CommandTree() {}

  public static CommandLine root() {
    return Ocicat.commandLine();
  }

  /** In the order of their names; without aliases, and without picocli's own help. */
  public static Map<String, CommandLine> all() {
    Map<String, CommandLine> commands = new LinkedHashMap<>();
    collect(root(), commands);
    return commands;
  }

  /** The commands that do something, rather than contain others. */
  public static Map<String, CommandLine> leaves() {
    Map<String, CommandLine> commands = new LinkedHashMap<>(all());
    commands.values().removeIf(command -> !command.getSubcommands().isEmpty());
    return commands;
  }

  private static void collect(CommandLine command, Map<String, CommandLine> commands) {
    commands.put(command.getCommandSpec().qualifiedName(), command);
    new TreeMap<>(command.getSubcommands())
        .forEach(
            (name, subcommand) -> {
              if (subcommand.getCommandName().equals(name) && !name.equals("help")) {
                collect(subcommand, commands);
              }
            });
  }
}
