package io.ocicat.plugins.staticipam;

import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniException;
import io.ocicat.cni.Dns;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Route;
import io.ocicat.cni.SpecVersion;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of the static plugin. Addresses come from {@code ipam.addresses} and CNI_ARGS
 * together; {@code args.cni.ips} replaces these, and {@code runtimeConfig.ips} replaces all of
 * them.
 */
record StaticConf(List<IpConfig> addresses, List<Route> routes, Dns dns) {
  StaticConf {
    addresses = List.copyOf(addresses);
    routes = List.copyOf(routes);
  }

  /**
   * Reads it.
   *
   * @throws CniException with code 7 naming every bad field, 4 for invalid CNI_ARGS
   */
  static StaticConf read(PluginConfig config, CniArgs args) {
    List<IpConfig> fromArgs = fromArgs(args);
    return config.read(
        in -> {
          if (!in.has("ipam")) {
            throw new CniException(
                ErrorCode.INVALID_NETWORK_CONFIG,
                "IPAM config missing 'ipam' key",
                "expected \"ipam\":{\"type\":\"static\",\"addresses\":[{\"address\":\"10.1.0.7/16\"}]}");
          }
          JsonFields ipam = in.object("ipam");
          List<IpConfig> addresses = addresses(in, ipam, fromArgs);
          requireOnePerFamily(addresses, ipam, config);
          return new StaticConf(
              addresses,
              ipam.objects("routes").stream().map(Route::read).toList(),
              Dns.read(ipam.object("dns")));
        });
  }

  private static List<IpConfig> addresses(JsonFields in, JsonFields ipam, List<IpConfig> fromArgs) {
    List<JsonValue> byRuntime = in.object("runtimeConfig").value("ips").items();
    List<JsonValue> byConfig = in.object("args").object("cni").value("ips").items();
    List<JsonValue> instead = byRuntime.isEmpty() ? byConfig : byRuntime;
    if (!instead.isEmpty()) {
      return instead.stream().map(ip -> IpConfig.of(ip.prefix().required())).toList();
    }
    List<IpConfig> addresses = new ArrayList<>();
    for (JsonFields item : ipam.objects("addresses")) {
      addresses.add(
          IpConfig.of(item.prefix("address").required()).withGateway(item.ip("gateway").orNull()));
    }
    addresses.addAll(fromArgs);
    return addresses;
  }

  private static List<IpConfig> fromArgs(CniArgs args) {
    args.refuseUnknown(Set.of("IP", "GATEWAY"));
    List<IpAddress> gateways = list(args, "GATEWAY", text -> IpAddress.parse(text).unmap());
    return list(args, "IP", IpPrefix::parse).stream()
        .map(address -> IpConfig.of(address).withGateway(gatewayOf(address, gateways)))
        .toList();
  }

  /** Of several gateways in its network the last, as in the Go plugin. */
  private static @Nullable IpAddress gatewayOf(IpPrefix address, List<IpAddress> gateways) {
    return gateways.reversed().stream().filter(address::contains).findFirst().orElse(null);
  }

  private static <T> List<T> list(CniArgs args, String key, Function<String, T> conversion) {
    if (args.get(key).orElse("").isEmpty()) {
      return List.of();
    }
    return args.get(
            key,
            text -> Arrays.stream(text.split(",", -1)).map(String::strip).map(conversion).toList())
        .orElse(List.of());
  }

  private static void requireOnePerFamily(
      List<IpConfig> addresses, JsonFields ipam, PluginConfig config) {
    long v4 = addresses.stream().filter(ip -> ip.address().isV4()).count();
    if (Math.max(v4, addresses.size() - v4) > 1
        && !config.specVersion().isAtLeast(SpecVersion.V0_3_0)) {
      ipam.problem(
          "addresses",
          "are too many: CNI version %s does not support more than 1 address per family"
              .formatted(config.specVersion()));
    }
  }
}
