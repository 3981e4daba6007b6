package io.ocicat.plugins.hostlocal;

import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Route;
import io.ocicat.cni.SpecVersion;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of the host-local plugin.
 *
 * @param directory where the leases of the network are
 * @param sets a container gets one address of each; the position is part of a file's name
 * @param resolvConf the file with the container's DNS settings, if any
 * @param requested addresses that the container requests, in order
 */
record HostLocalConf(
    Path directory,
    List<RangeSet> sets,
    List<Route> routes,
    @Nullable Path resolvConf,
    Set<IpAddress> requested) {
  private static final Path DATA_DIR = Path.of("/var/lib/cni/networks");

  HostLocalConf {
    sets = List.copyOf(sets);
    routes = List.copyOf(routes);
    requested = Collections.unmodifiableSet(new LinkedHashSet<>(requested));
  }

  /**
   * Reads everything; ranges may be missing, because the runtime passes them on some verbs only.
   *
   * @throws CniException with code 7, naming every bad field
   */
  static HostLocalConf read(PluginConfig config) {
    return config.read(
        in -> {
          JsonFields ipam = ipam(in);
          return new HostLocalConf(
              directory(ipam, config.name()),
              sets(in, ipam, config),
              ipam.objects("routes").stream().map(Route::read).toList(),
              path(ipam, "resolvConf"),
              requested(in));
        });
  }

  /** The part that is needed to find leases: mistakes elsewhere do not matter. */
  static Path directory(PluginConfig config) {
    return directory(config, config.name());
  }

  /** The same for an element of a list, which need not contain the network's name. */
  static Path directory(PluginConfig config, String network) {
    return config.read(in -> directory(ipam(in), network));
  }

  private static JsonFields ipam(JsonFields in) {
    if (!in.has("ipam")) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "IPAM config missing 'ipam' key",
          "expected"
              + " \"ipam\":{\"type\":\"host-local\",\"ranges\":[[{\"subnet\":\"10.1.0.0/16\"}]]}");
    }
    return in.object("ipam");
  }

  private static Path directory(JsonFields ipam, String network) {
    Path dataDir = path(ipam, "dataDir");
    return (dataDir == null ? DATA_DIR : dataDir).resolve(network);
  }

  private static @Nullable Path path(JsonFields ipam, String name) {
    Path path = ipam.text(name).map(Path::of, DATA_DIR).orNull();
    return path == null || path.toString().isEmpty() ? null : path;
  }

  private static List<RangeSet> sets(JsonFields in, JsonFields ipam, PluginConfig config) {
    int before = in.problems().count();
    List<RangeSet> sets = new ArrayList<>();
    for (JsonValue set : in.object("runtimeConfig").value("ipRanges").items()) {
      RangeSet.read(set).ifPresent(sets::add);
    }
    if (ipam.has("subnet")) {
      AddressRange.read(ipam).map(range -> new RangeSet(List.of(range))).ifPresent(sets::add);
    }
    for (JsonValue set : ipam.value("ranges").items()) {
      RangeSet.read(set).ifPresent(sets::add);
    }
    if (in.problems().count() == before) {
      requireApart(sets, in);
      requireOnePerFamily(sets, in, config);
    }
    return sets;
  }

  private static void requireApart(List<RangeSet> sets, JsonFields in) {
    for (int i = 0; i < sets.size(); i++) {
      for (int j = i + 1; j < sets.size(); j++) {
        if (sets.get(i).overlaps(sets.get(j))) {
          in.problem(
              "ipam",
              "range set %d overlaps with %d: %s and %s".formatted(i, j, sets.get(i), sets.get(j)));
        }
      }
    }
  }

  private static void requireOnePerFamily(List<RangeSet> sets, JsonFields in, PluginConfig config) {
    if (config.specVersion().isAtLeast(SpecVersion.V0_3_0)) {
      return;
    }
    long v4 = sets.stream().filter(RangeSet::isV4).count();
    if (Math.max(v4, sets.size() - v4) > 1) {
      in.problem(
          "ipam",
          "has too many range sets: CNI version %s does not support more than 1 address per family"
              .formatted(config.specVersion()));
    }
  }

  private static Set<IpAddress> requested(JsonFields in) {
    Set<IpAddress> requested = new LinkedHashSet<>();
    for (JsonFields source : List.of(in.object("args").object("cni"), in.object("runtimeConfig"))) {
      for (JsonValue item : source.value("ips").items()) {
        requested.add(item.text().map(HostLocalConf::address, IpAddress.ofV4(0)).required());
      }
    }
    return requested;
  }

  /** An address, whose optional prefix length is ignored. */
  private static IpAddress address(String text) {
    IpAddress address =
        text.indexOf('/') < 0 ? IpAddress.parse(text) : IpPrefix.parse(text).address();
    return address.unmap();
  }

  /**
   * Addresses requested through CNI_ARGS come first.
   *
   * @throws CniException with code 4 when CNI_ARGS is invalid
   */
  HostLocalConf requesting(CniArgs args) {
    args.refuseUnknown(Set.of("IP"));
    Set<IpAddress> all = new LinkedHashSet<>();
    if (!args.get("IP").orElse("").isEmpty()) {
      args.get("IP", HostLocalConf::address).ifPresent(all::add);
    }
    all.addAll(requested);
    return new HostLocalConf(directory, sets, routes, resolvConf, all);
  }
}
