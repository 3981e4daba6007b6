package io.ocicat.cli.image;

import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import io.ocicat.image.ImageReference;
import io.ocicat.image.ImageStore;
import io.ocicat.image.store.LocalImageStore;
import io.ocicat.image.store.StoreSettings;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ocicat image}: the group of commands, and what they share. */
@Command(
    name = "image",
    description = "Pull, load, list and remove container images.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class ImageCommand {
  private ImageCommand() {}

  public static CommandLine create() {
    return new CommandLine(new ImageCommand())
        .addSubcommand(new ImagePullCommand())
        .addSubcommand(new ImageLoadCommand())
        .addSubcommand(new ImageListCommand())
        .addSubcommand(new ImageRemoveCommand())
        .addSubcommand(new ImageVerifyCommand());
  }

  /** The base of a subcommand: opens the store, does its work, closes it. */
  abstract static class Sub implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(
        names = "--root",
        paramLabel = "DIR",
        defaultValue = "/var/lib/ocicat/images",
        description = "Where images are kept (default: ${DEFAULT-VALUE}).")
    private Path root = StoreSettings.USUAL_ROOT;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public final Integer call() {
      try (ImageStore store = LocalImageStore.open(settings(StoreSettings.usual(root)))) {
        return call(store);
      }
    }

    abstract int call(ImageStore store);

    /** For commands with more settings. */
    StoreSettings settings(StoreSettings usual) {
      return usual;
    }

    boolean json() {
      return json;
    }

    PrintWriter out() {
      return spec.commandLine().getOut();
    }

    PrintWriter err() {
      return spec.commandLine().getErr();
    }

    ParameterException misuse(String why) {
      return new ParameterException(spec.commandLine(), why);
    }

    ImageReference reference(String name) {
      try {
        return ImageReference.parse(name);
      } catch (IllegalArgumentException e) {
        throw new ImageException(Reason.INVALID, String.valueOf(e.getMessage()), e);
      }
    }
  }
}
