package io.ocicat.cli.ipam;

import io.ocicat.cli.resource.CommandException;
import io.ocicat.cli.resource.Surroundings;
import io.ocicat.cni.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.DatastoreException;
import io.ocicat.datastore.Kind;
import io.ocicat.datastore.Query;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.ResourceKey;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat ipam split}. */
@Command(
    name = "split",
    description = "Split a pool into equal ones. Blocks and addresses stay as they are.",
    footer = {
      "",
      "The datastore must be locked: ocicat datastore lock.",
      "",
      "Example: ocicat ipam split 4 --name blue"
    })
final class SplitCommand extends AddressWork {
  private static final int LONGEST_NAME = 245;

  @Parameters(paramLabel = "NUMBER", description = "How many: a power of two.")
  private int number;

  @Option(names = "--cidr", paramLabel = "CIDR", description = "The pool, by its addresses.")
  private @Nullable String cidr;

  @Option(names = "--name", paramLabel = "NAME", description = "The pool, by its name.")
  private @Nullable String name;

  SplitCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int run() {
    if ((cidr == null) == (name == null)) {
      throw new ParameterException(spec.commandLine(), "name the pool by --cidr or by --name");
    }
    if (number < 2 || Integer.bitCount(number) != 1) {
      throw new CommandException(
          "a pool is split into 2, 4, 8, … pools, not into %d".formatted(number));
    }
    return withDatastore(
        datastore -> {
          if (!ClusterState.of(datastore).locked()) {
            throw new CommandException(
                "the datastore is not locked: \"ocicat datastore lock\" first");
          }
          List<Resource> made = split(datastore, find(datastore));
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

  private Resource find(Datastore datastore) {
    return datastore.list(Query.of(Kind.IP_POOL)).items().stream()
        .filter(
            pool ->
                pool.key().name().equals(name) || IpPool.of(pool).cidr().toString().equals(cidr))
        .findFirst()
        .orElseThrow(
            () ->
                new CommandException(
                    "there is no pool %s: see \"ocicat get ippools\""
                        .formatted(name == null ? cidr : name)));
  }

  /** Pools must not overlap, so the old one goes first; it comes back when a new one is refused. */
  private List<Resource> split(Datastore datastore, Resource pool) {
    IpPool view = IpPool.of(pool);
    int length = view.cidr().length() + Integer.numberOfTrailingZeros(number);
    if (length > view.blockSize()) {
      throw new CommandException(
          "pool %s %s has blocks of /%d: it can be split into %d pools at most"
              .formatted(
                  view.name(),
                  view.cidr(),
                  view.blockSize(),
                  1L << Math.min(30, view.blockSize() - view.cidr().length())));
    }
    JsonNode spec = pool.<JsonNode>read(content -> content.path("spec").deepCopy());
    datastore.delete(pool);
    List<Resource> made = new ArrayList<>();
    try {
      IpPrefix part = IpPrefix.of(view.cidr().first(), length);
      for (int i = 0; i < number; i++) {
        made.add(datastore.create(child(view, spec, part, i)));
        if (i + 1 < number) {
          part = IpPrefix.of(part.last().next(), length);
        }
      }
      return made;
    } catch (DatastoreException e) {
      made.forEach(datastore::delete);
      datastore.create(copy(pool));
      throw e;
    }
  }

  private static Resource child(IpPool parent, JsonNode spec, IpPrefix cidr, int index) {
    String stem = parent.name().substring(0, Math.min(LONGEST_NAME, parent.name().length()));
    return Resource.of(
        new ResourceKey.Named(Kind.IP_POOL, "", "split-%s-%d".formatted(stem, index)),
        document -> {
          document.setAll((ObjectNode) spec.deepCopy());
          document.put("cidr", cidr.toString());
          document.remove("disabled");
        });
  }

  private static Resource copy(Resource pool) {
    JsonNode spec = pool.<JsonNode>read(content -> content.path("spec").deepCopy());
    return Resource.of(
        (ResourceKey.Named) pool.key(), document -> document.setAll((ObjectNode) spec));
  }
}
