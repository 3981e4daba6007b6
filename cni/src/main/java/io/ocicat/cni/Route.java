package io.ocicat.cni;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A route in the container, in a result or an IPAM configuration. {@code mtu}, {@code advmss} and
 * {@code priority} of 0 mean "not set"; for {@code table} and {@code scope} that is null, because 0
 * is a value.
 */
public record Route(
    IpPrefix dst,
    @Nullable IpAddress gw,
    int mtu,
    int advmss,
    long priority,
    @Nullable Long table,
    @Nullable Integer scope,
    Map<String, JsonNode> unknown) {
  public Route {
    unknown = ExtraMembers.copyOf(unknown);
  }

  public static Route to(IpPrefix dst) {
    return new Route(dst, null, 0, 0, 0, null, null, Map.of());
  }

  public Route via(IpAddress newGw) {
    return new Route(dst, newGw, mtu, advmss, priority, table, scope, unknown);
  }

  public static Route read(JsonFields in) {
    return new Route(
        in.prefix("dst").required(),
        in.ip("gw").orNull(),
        in.integer("mtu", 0, Integer.MAX_VALUE).or(0),
        in.integer("advmss", 0, Integer.MAX_VALUE).or(0),
        in.unsigned32("priority").or(0L),
        in.unsigned32("table").orNull(),
        in.integer("scope", 0, 255).orNull(),
        in.rest());
  }

  /** The part that versions before 1.0.0 can express. */
  Route withoutAttributes() {
    return new Route(dst, gw, 0, 0, 0, null, null, unknown);
  }

  public ObjectNode toJson() {
    ObjectNode json = Json.object().put("dst", dst.toString());
    if (gw != null) {
      json.put("gw", gw.toString());
    }
    if (mtu != 0) {
      json.put("mtu", mtu);
    }
    if (advmss != 0) {
      json.put("advmss", advmss);
    }
    if (priority != 0) {
      json.put("priority", priority);
    }
    if (table != null) {
      json.put("table", table);
    }
    if (scope != null) {
      json.put("scope", scope);
    }
    ExtraMembers.addTo(json, unknown);
    return json;
  }
}
