package io.ocicat.cli.resource;

import java.util.List;

/** Lists the resource commands for the command line. */
public final class ResourceCommands {
  private ResourceCommands() {}

  public static List<Object> all(CommandContext context) {
    return List.of(
        new GetCommand(context),
        new WriteCommand.Create(context),
        new WriteCommand.Apply(context),
        new WriteCommand.Replace(context),
        new PatchCommand(context),
        new DeleteCommand(context),
        new MetadataCommand.Label(context),
        new MetadataCommand.Annotate(context));
  }
}
