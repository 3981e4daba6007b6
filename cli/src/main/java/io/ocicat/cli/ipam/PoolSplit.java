package io.ocicat.cli.ipam;

import io.ocicat.cli.resource.CommandException;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Splits a pool into equal parts, in steps that may be interrupted after each: the pool is disabled
 * and marked, its parts are created, the pool is deleted. So the pool exists, with everything that
 * is known of it, until all parts do, and the next run continues from the mark. If a part is
 * refused, everything is undone in the same way.
 */
final class PoolSplit {
  private static final int LONGEST_NAME = 245;
  private static final String WAS_DISABLED = ",disabled";

  private final Datastore datastore;
  private final int number;

  PoolSplit(Datastore datastore, int number) {
    this.datastore = datastore;
    this.number = number;
  }

  /** Splits a pool, or continues to; returns the parts. */
  List<Resource> run(Resource pool) {
    List<Resource> parts = parts(pool);
    Resource marked = mark(pool);
    List<Resource> made = new ArrayList<>();
    try {
      parts.forEach(part -> made.add(make(part)));
    } catch (InvalidException | UnauthorizedException | CommandException e) {
      parts.forEach(this::unmake);
      unmark(marked);
      throw e;
    }
    datastore.delete(marked);
    return made;
  }

  private List<Resource> parts(Resource pool) {
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
    List<Resource> parts = new ArrayList<>();
    for (IpPrefix cidr : ranges(view.cidr())) {
      parts.add(part(pool, cidr, parts.size()));
    }
    return parts;
  }

  private List<IpPrefix> ranges(IpPrefix whole) {
    int length = whole.length() + Integer.numberOfTrailingZeros(number);
    List<IpPrefix> ranges = new ArrayList<>();
    ranges.add(IpPrefix.of(whole.first(), length));
    while (ranges.size() < number) {
      ranges.add(IpPrefix.of(ranges.getLast().last().next(), length));
    }
    return ranges;
  }

  private static Resource part(Resource pool, IpPrefix cidr, int index) {
    JsonNode spec = pool.<JsonNode>read(content -> content.path("spec").deepCopy());
    return Resource.of(
        new ResourceKey.Named(Kind.IP_POOL, "", nameOf(pool.key().name(), index)),
        document -> {
          document.setAll((ObjectNode) spec);
          document.put("cidr", cidr.toString());
          document.remove("disabled");
        });
  }

  private static String nameOf(String pool, int index) {
    return "split-%s-%d".formatted(pool.substring(0, Math.min(LONGEST_NAME, pool.length())), index);
  }

  private Resource mark(Resource pool) {
    Optional<String> mark = pool.text("metadata", "annotations", IpPool.SPLIT_ANNOTATION);
    String wanted = String.valueOf(number);
    if (mark.isEmpty()) {
      boolean disabled =
          pool.read(content -> content.path("spec").path("disabled").asBoolean(false));
      return datastore.update(
          pool.edit(
              document -> {
                document
                    .withObject("/metadata/annotations")
                    .put(IpPool.SPLIT_ANNOTATION, disabled ? wanted + WAS_DISABLED : wanted);
                document.withObject("/spec").put("disabled", true);
              }));
    }
    if (!mark.get().equals(wanted) && !mark.get().equals(wanted + WAS_DISABLED)) {
      throw new CommandException(
          "pool %s is being split into %s: run that again first"
              .formatted(pool.key().name(), mark.get().replace(WAS_DISABLED, "")));
    }
    return pool;
  }

  private void unmark(Resource marked) {
    boolean disabled =
        marked
            .text("metadata", "annotations", IpPool.SPLIT_ANNOTATION)
            .filter(mark -> mark.endsWith(WAS_DISABLED))
            .isPresent();
    datastore.update(
        marked.edit(
            document -> {
              document.withObject("/metadata/annotations").remove(IpPool.SPLIT_ANNOTATION);
              document.withObject("/spec").put("disabled", disabled);
            }));
  }

  private Resource make(Resource part) {
    try {
      return datastore.create(part);
    } catch (ExistsException _) {
      Resource there = datastore.get(part.key());
      if (!isSame(there, part)) {
        throw new CommandException(
            "pool %s is there already with %s and would have to be %s: delete it first"
                .formatted(there.key().name(), IpPool.of(there).cidr(), IpPool.of(part).cidr()));
      }
      return there;
    }
  }

  private void unmake(Resource part) {
    pools().stream().filter(pool -> isSame(pool, part)).forEach(datastore::delete);
  }

  private static boolean isSame(Resource pool, Resource part) {
    return pool.key().equals(part.key()) && IpPool.of(pool).cidr().equals(IpPool.of(part).cidr());
  }

  private List<Resource> pools() {
    return datastore.list(ResourceQuery.of(Kind.IP_POOL)).items();
  }

  /** The parts of a pool that no longer exists because it has been split. */
  Optional<List<Resource>> alreadyDone(@Nullable String name, @Nullable String cidr) {
    List<Resource> parts =
        name != null
            ? pools().stream().filter(pool -> isPartOf(pool, name)).toList()
            : IpPrefix.tryParse(String.valueOf(cidr)).map(this::partsOf).orElse(List.of());
    return parts.size() == number ? Optional.of(parts) : Optional.empty();
  }

  private static boolean isPartOf(Resource pool, String name) {
    String stem = nameOf(name, 0).replaceFirst("0$", "");
    return pool.key().name().startsWith(stem)
        && pool.key().name().substring(stem.length()).matches("[0-9]+");
  }

  private List<Resource> partsOf(IpPrefix whole) {
    if (whole.length() + Integer.numberOfTrailingZeros(number) > whole.address().bitLength()) {
      return List.of();
    }
    Set<IpPrefix> ranges = Set.copyOf(ranges(whole));
    return pools().stream()
        .filter(pool -> pool.key().name().startsWith("split-"))
        .filter(pool -> ranges.contains(IpPool.of(pool).cidr()))
        .toList();
  }
}
