package io.ocicat.cli.store;

import io.ocicat.cli.resource.CommandContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ocicat datastore}: the group of datastore commands. */
@Command(
    name = "datastore",
    description = "Check, copy and move a whole datastore.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class DatastoreCommand {
  private DatastoreCommand() {}

  public static CommandLine of(CommandContext context) {
    return new CommandLine(new DatastoreCommand())
        .addSubcommand(new DatastoreCheckCommand(context))
        .addSubcommand(new ExportCommand(context))
        .addSubcommand(new ImportCommand(context))
        .addSubcommand(new MigrateCommand(context))
        .addSubcommand(new LockCommand.Lock(context))
        .addSubcommand(new LockCommand.Unlock(context));
  }
}
