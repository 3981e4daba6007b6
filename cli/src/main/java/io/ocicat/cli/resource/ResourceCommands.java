package io.ocicat.cli.resource;

import java.util.List;

/** The commands, for the command line that has them all. */
public final class ResourceCommands {
  private ResourceCommands() {}

  public static List<Object> all(CommandContext surroundings) {
    return List.of(
        new GetCommand(surroundings),
        new WriteCommand.Create(surroundings),
        new WriteCommand.Apply(surroundings),
        new WriteCommand.Replace(surroundings),
        new PatchCommand(surroundings),
        new DeleteCommand(surroundings),
        new LabelCommand(surroundings));
  }
}
