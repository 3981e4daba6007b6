package io.ocicat.cli.store;

import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.ResourceCommand;
import picocli.CommandLine.Command;

/** {@code ocicat datastore lock} and {@code unlock}. */
abstract class LockCommand extends ResourceCommand {
  private final boolean ready;

  LockCommand(CommandContext context, boolean ready) {
    super(context);
    this.ready = ready;
  }

  @Override
  protected int run() {
    return withDatastore(
        datastore -> {
          ReadyFlag.set(datastore, ready);
          out().println(ready ? "Datastore unlocked." : "Datastore locked.");
          return 0;
        });
  }

  /** {@code ocicat datastore lock}: makes plugins and controllers wait. */
  @Command(
      name = "lock",
      description = {
        "Make plugins refuse new pods.",
        "Says in ClusterInformation that the datastore is not ready."
      },
      footer = {"", "Example: ocicat datastore lock"})
  static final class Lock extends LockCommand {
    Lock(CommandContext context) {
      super(context, false);
    }
  }

  /** {@code ocicat datastore unlock}: lets plugins and controllers continue. */
  @Command(
      name = "unlock",
      description = {
        "Let plugins accept new pods again.",
        "Says in ClusterInformation that the datastore is ready."
      },
      footer = {"", "Example: ocicat datastore unlock"})
  static final class Unlock extends LockCommand {
    Unlock(CommandContext context) {
      super(context, true);
    }
  }
}
