package io.ocicat.ipamserver;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.InvalidFieldsException;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The configured pools.
 *
 * @param rest how long a released address is held back, because somebody may still send to it
 */
record Pools(List<Pool> all, Duration rest) {
  private static final long REST_SECONDS = 30;
  private static final long LONGEST_REST_SECONDS = 86_400;

  Pools {
    all = List.copyOf(all);
  }

  /**
   * Reads the configuration.
   *
   * @throws IpamServerException naming the file and everything that is wrong with it
   */
  static Pools read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      JsonFields fields =
          JsonValue.of(CniJson.parse(in.readNBytes(CniJson.MAX_BYTES + 1))).object();
      Pools pools = read(fields);
      fields.problems().throwIfAny();
      return pools;
    } catch (IOException e) {
      throw new IpamServerException("cannot read the pools from %s: %s".formatted(file, e), e);
    } catch (CniException | InvalidFieldsException e) {
      throw new IpamServerException("%s: %s".formatted(file, e.getMessage()), e);
    }
  }

  private static Pools read(JsonFields in) {
    List<Pool> pools = in.objects("pools").stream().map(Pool::read).toList();
    if (pools.isEmpty()) {
      in.problem("pools", "must have at least one pool");
    }
    if (in.problems().isEmpty()) {
      refuseSharedNames(pools, in);
      refuseSharedAddresses(pools, in);
    }
    long rest = in.longInteger("cooldownSeconds", 0, LONGEST_REST_SECONDS).or(REST_SECONDS);
    return new Pools(pools, Duration.ofSeconds(rest));
  }

  private static void refuseSharedNames(List<Pool> pools, JsonFields in) {
    Map<String, Pool> byNetwork = new HashMap<>();
    for (Pool pool : pools) {
      if (pools.stream().filter(other -> other.name().equals(pool.name())).count() > 1) {
        in.problem("pools", "has more than one pool " + Quoted.brief(pool.name()));
      }
      for (String network : pool.networks()) {
        Pool other = byNetwork.putIfAbsent(network, pool);
        if (other != null) {
          in.problem(
              "pools",
              "has network %s in the pools %s and %s"
                  .formatted(
                      Quoted.brief(network),
                      Quoted.brief(other.name()),
                      Quoted.brief(pool.name())));
        }
      }
    }
  }

  private static void refuseSharedAddresses(List<Pool> pools, JsonFields in) {
    record Owner(Pool pool, PoolRange range) {}
    List<Owner> owners = new ArrayList<>();
    for (Pool pool : pools) {
      for (PoolRange range : pool.ranges()) {
        for (Owner other : owners) {
          if (range.overlaps(other.range())) {
            in.problem(
                "pools",
                "overlap: %s of %s and %s of %s"
                    .formatted(
                        other.range(),
                        Quoted.brief(other.pool().name()),
                        range,
                        Quoted.brief(pool.name())));
          }
        }
        owners.add(new Owner(pool, range));
      }
    }
  }

  Optional<Pool> named(String name) {
    return all.stream().filter(pool -> pool.name().equals(name)).findFirst();
  }

  /**
   * Returns the pool for a request: the one it names, else the one that lists its network, else the
   * one named like its network.
   */
  Pool of(AllocationRequest request) {
    String network = request.key().network();
    String wanted = request.pool();
    if (wanted == null) {
      return all.stream()
          .filter(pool -> pool.networks().contains(network))
          .findFirst()
          .or(() -> named(network).filter(pool -> pool.mayServe(network)))
          .orElseThrow(
              () ->
                  ApiError.notFound(
                      "no pool serves network %s: name one in the request, or list the network in a"
                              .formatted(Quoted.brief(network))
                          + " pool of the server"));
    }
    Pool pool =
        named(wanted)
            .orElseThrow(() -> ApiError.notFound("there is no pool " + Quoted.brief(wanted)));
    if (!pool.mayServe(network)) {
      throw ApiError.forbidden(
          "pool %s does not serve network %s"
              .formatted(Quoted.brief(wanted), Quoted.brief(network)));
    }
    return pool;
  }
}
