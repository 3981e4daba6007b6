package io.ocicat.cli.resource;

import io.ocicat.cli.terminal.ErrorAdvice;
import io.ocicat.datastore.Datastore;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The base of commands that use a datastore and report each error on one line. */
@Command(mixinStandardHelpOptions = true)
public abstract class ResourceCommand implements Callable<Integer> {
  protected final CommandContext context;

  @Spec protected CommandSpec spec = CommandSpec.create();
  @Mixin protected ConnectionOptions connection = new ConnectionOptions();

  protected ResourceCommand(CommandContext context) {
    this.context = context;
  }

  /** Returns the exit code. */
  protected abstract int run();

  /** Work with the datastore; returns the exit code. */
  @FunctionalInterface
  public interface Work {
    int with(Datastore datastore);
  }

  protected int withDatastore(Work work) {
    try (Datastore datastore = connection.open(context)) {
      return work.with(datastore);
    }
  }

  @Override
  public final Integer call() {
    try {
      return run();
    } catch (UsageException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (RejectedException e) {
      e.reasons().forEach(reason -> err().println("ocicat: " + oneLine(ErrorAdvice.of(reason))));
      return 1;
    }
  }

  public static String oneLine(String text) {
    return String.join(" ", text.strip().split("\\s*\\R\\s*", -1));
  }

  protected PrintWriter out() {
    return spec.commandLine().getOut();
  }

  protected PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
