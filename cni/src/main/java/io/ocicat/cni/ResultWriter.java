package io.ocicat.cni;

import io.ocicat.cni.json.Json;
import io.ocicat.ip.IpAddress;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes a result in the shape of its own version, members in the order Go's plugins print them.
 */
final class ResultWriter {
  private static final Set<String> OLD_MEMBERS = Set.of("ip4", "ip6");
  private static final Set<String> MEMBERS = Set.of("interfaces", "ips", "routes");
  private static final Set<String> OLD_IP_MEMBERS = Set.of("ip", "gateway", "routes");
  private static final Set<String> IP_MEMBERS =
      Set.of("version", "interface", "address", "gateway");

  private ResultWriter() {}

  static ObjectNode write(Result result) {
    ObjectNode json = Json.object().put("cniVersion", result.version().text());
    boolean old = result.version().family() == SpecVersion.Family.V0_2;
    if (old) {
      writeOld(result, json);
    } else {
      writeLists(result, json);
    }
    // Versions before 1.0.0 always print dns, empty or not.
    if (result.version().family() != SpecVersion.Family.V1 || !result.dns().isEmpty()) {
      json.set("dns", result.dns().toJson());
    }
    Unknown.addTo(json, result.unknown(), old ? OLD_MEMBERS : MEMBERS);
    return json;
  }

  private static void writeOld(Result result, ObjectNode json) {
    for (IpConfig ip : result.ips()) {
      boolean v4 = ip.address().isV4();
      String name = v4 ? "ip4" : "ip6";
      if (json.has(name)) {
        continue;
      }
      ObjectNode entry = Json.object().put("ip", ip.address().toString());
      putGateway(entry, ip.gateway());
      List<Route> routes = result.routes().stream().filter(r -> r.dst().isV4() == v4).toList();
      putList(entry, "routes", routes, Route::toJson);
      Unknown.addTo(entry, ip.unknown(), OLD_IP_MEMBERS);
      json.set(name, entry);
    }
  }

  private static void writeLists(Result result, ObjectNode json) {
    putList(json, "interfaces", result.interfaceSlots(), ResultWriter::write);
    boolean versioned = result.version().family() == SpecVersion.Family.V0_4;
    putList(json, "ips", result.ipSlots(), ip -> write(ip, versioned));
    putList(json, "routes", result.routes(), Route::toJson);
  }

  private static ObjectNode write(Interface member) {
    ObjectNode json = Json.object().put("name", member.name());
    putUnlessEmpty(json, "mac", member.mac());
    if (member.mtu() != 0) {
      json.put("mtu", member.mtu());
    }
    putUnlessEmpty(json, "sandbox", member.sandbox());
    putUnlessEmpty(json, "socketPath", member.socketPath());
    putUnlessEmpty(json, "pciID", member.pciId());
    Unknown.addTo(json, member.unknown());
    return json;
  }

  private static ObjectNode write(IpConfig ip, boolean versioned) {
    ObjectNode json = Json.object();
    if (versioned) {
      json.put("version", ip.address().isV4() ? "4" : "6");
    }
    if (ip.interfaceIndex() != null) {
      json.put("interface", ip.interfaceIndex());
    }
    json.put("address", ip.address().toString());
    putGateway(json, ip.gateway());
    Unknown.addTo(json, ip.unknown(), IP_MEMBERS);
    return json;
  }

  private static void putGateway(ObjectNode json, @Nullable IpAddress gateway) {
    if (gateway != null) {
      json.put("gateway", gateway.toString());
    }
  }

  private static void putUnlessEmpty(ObjectNode json, String name, String text) {
    if (!text.isEmpty()) {
      json.put(name, text);
    }
  }

  private static <T> void putList(
      ObjectNode json,
      String name,
      List<? extends @Nullable T> items,
      Function<T, JsonNode> write) {
    if (items.isEmpty()) {
      return;
    }
    ArrayNode array = json.putArray(name);
    for (T item : items) {
      if (item == null) {
        array.addNull();
      } else {
        array.add(write.apply(item));
      }
    }
  }
}
