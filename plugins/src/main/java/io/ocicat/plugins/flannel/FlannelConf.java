package io.ocicat.plugins.flannel;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Route;
import io.ocicat.plugins.support.AbsolutePath;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The configuration of the flannel plugin.
 *
 * @param delegate the user's settings for the delegate
 * @param ipam the user's settings for the IPAM plugin
 * @param routes those of {@code ipam}, checked
 */
record FlannelConf(
    Path subnetFile,
    Path dataDir,
    ObjectNode delegate,
    ObjectNode ipam,
    List<Route> routes,
    @Nullable JsonNode runtimeConfig) {
  private static final String SUBNET_FILE = "/run/flannel/subnet.env";
  private static final String DATA_DIR = "/var/lib/cni/flannel";

  static FlannelConf read(PluginConfig config) {
    return config.read(
        in ->
            new FlannelConf(
                path(in, "subnetFile", SUBNET_FILE),
                path(in, "dataDir", DATA_DIR),
                delegate(in),
                object(in, "ipam"),
                routes(in),
                in.value("runtimeConfig").raw().orElse(null)));
  }

  /** The part that DEL needs: no other mistake in the configuration may stop it. */
  static Path dataDir(PluginConfig config) {
    return config.read(in -> path(in, "dataDir", DATA_DIR));
  }

  /** Only an absent member gets the default; an empty one is invalid. */
  private static Path path(JsonFields in, String name, String fallback) {
    return in.text(name).map(AbsolutePath::parse, Path.of(fallback)).or(Path.of(fallback));
  }

  private static ObjectNode delegate(JsonFields in) {
    ObjectNode delegate = object(in, "delegate");
    JsonNode type = delegate.get("type");
    if (type != null && !type.isString()) {
      in.problem("delegate", "dictionary, if present, must have (string) 'type' field");
    } else if (type != null && type.stringValue().isEmpty()) {
      in.problem("delegate", "must not have an empty 'type' field: leave it out for bridge");
    } else if (type != null && type.stringValue().equals("flannel")) {
      in.problem("delegate", "must not have 'type' flannel: it would delegate to itself");
    }
    for (String ours : List.of("name", "ipam")) {
      if (delegate.has(ours)) {
        in.problem(
            "delegate",
            "dictionary must not have '%s' field, it'll be set by flannel".formatted(ours));
      }
    }
    return delegate;
  }

  private static ObjectNode object(JsonFields in, String name) {
    in.object(name);
    return in.value(name).raw().orElse(null) instanceof ObjectNode object ? object : Json.object();
  }

  /** Unknown members of a route are dropped, as in the Go plugin. */
  private static List<Route> routes(JsonFields in) {
    if (!object(in, "ipam").has("routes")) {
      return List.of();
    }
    return in.object("ipam").objects("routes").stream()
        .map(Route::read)
        .map(
            route ->
                new Route(
                    route.dst(),
                    route.gw(),
                    route.mtu(),
                    route.advmss(),
                    route.priority(),
                    route.table(),
                    route.scope(),
                    Map.of()))
        .toList();
  }
}
