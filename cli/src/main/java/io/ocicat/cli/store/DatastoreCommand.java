package io.ocicat.cli.store;

import io.ocicat.cli.resource.CommandContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ocicat datastore}. */
@Command(
    name = "datastore",
    description = "Check, copy and move a whole datastore.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class DatastoreCommand {
  private DatastoreCommand() {}

  public static CommandLine of(CommandContext surroundings) {
    return new CommandLine(new DatastoreCommand())
        .addSubcommand(new DatastoreCheckCommand(surroundings))
        .addSubcommand(new ExportCommand(surroundings))
        .addSubcommand(new ImportCommand(surroundings))
        .addSubcommand(new MigrateCommand(surroundings))
        .addSubcommand(new LockCommand.Lock(surroundings))
        .addSubcommand(new LockCommand.Unlock(surroundings));
  }
}
