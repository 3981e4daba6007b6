package io.ocicat.cli.ipam;

import io.ocicat.base.json.Json;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.cli.resource.UsageException;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat ipam split}: splits a pool into equal parts. */
@Command(
    name = "split",
    description = {"Split a pool into equal ones.", "Blocks and addresses stay as they are."},
    footer = {
      "",
      "The datastore must be locked: ocicat datastore lock.",
      "When it was interrupted, run it again: it goes on where it was.",
      "",
      "Example: ocicat ipam split 4 --name blue"
    })
final class IpamSplitCommand extends IpamCommandContext {
  @Parameters(paramLabel = "NUMBER", description = "How many: a power of two.")
  private int number;

  @Option(names = "--cidr", paramLabel = "CIDR", description = "The pool, by its addresses.")
  private @Nullable String cidr;

  @Option(names = "--name", paramLabel = "NAME", description = "The pool, by its name.")
  private @Nullable String name;

  IpamSplitCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    if ((cidr == null) == (name == null)) {
      throw new ParameterException(spec.commandLine(), "name the pool by --cidr or by --name");
    }
    if (number < 2 || Integer.bitCount(number) != 1) {
      throw new UsageException(
          "a pool is split into 2, 4, 8, … pools, not into %d".formatted(number));
    }
    return withDatastore(
        datastore -> {
          if (!ClusterState.of(datastore).locked()) {
            throw new CommandException(
                "the datastore is not locked: \"ocicat datastore lock\" first");
          }
          PoolSplit split = new PoolSplit(datastore, number);
          List<Resource> made =
              find(datastore)
                  .map(split::run)
                  .or(() -> split.alreadyDone(name, cidr))
                  .orElseThrow(
                      () ->
                          new CommandException(
                              "there is no pool %s: see \"ocicat get ippools\""
                                  .formatted(name == null ? cidr : name)));
          if (json) {
            ObjectNode document = Json.object();
            document.set(
                "pools", Json.array(made.stream().map(pool -> pool.key().name()).toList()));
            print(document);
          } else {
            made.forEach(pool -> out().println("Created IP pool " + pool.key().name()));
            out()
                .println(
                    "Split into %d pools. You may now unlock the datastore: ocicat datastore unlock"
                        .formatted(made.size()));
          }
          return 0;
        });
  }

  private Optional<Resource> find(Datastore datastore) {
    return datastore.list(ResourceQuery.of(Kind.IP_POOL)).items().stream()
        .filter(
            pool ->
                pool.key().name().equals(name) || IpPool.of(pool).cidr().toString().equals(cidr))
        .findFirst();
  }
}
