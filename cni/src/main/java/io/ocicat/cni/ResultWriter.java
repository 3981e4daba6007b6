package io.ocicat.cni;

import io.ocicat.base.json.Json;
import io.ocicat.ip.IpAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes a result in the format of its own version, members in the order Go's plugins print them.
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
    ExtraMembers.addTo(json, result.unknown(), old ? OLD_MEMBERS : MEMBERS);
    return json;
  }

  private static void writeOld(Result result, ObjectNode json) {
    Optional<IpConfig> ip4 = result.ips().stream().filter(ip -> ip.address().isV4()).findFirst();
    Optional<IpConfig> ip6 = result.ips().stream().filter(ip -> ip.address().isV6()).findFirst();
    // Go ignores the family of a route here: with one address, all routes belong to it.
    ip4.ifPresent(
        ip -> json.set("ip4", writeOld(ip, result, r -> r.dst().isV4() || ip6.isEmpty())));
    ip6.ifPresent(
        ip -> json.set("ip6", writeOld(ip, result, r -> r.dst().isV6() || ip4.isEmpty())));
  }

  private static ObjectNode writeOld(IpConfig ip, Result result, Predicate<Route> own) {
    ObjectNode json = Json.object().put("ip", ip.address().toString());
    putGateway(json, ip.gateway());
    putList(json, "routes", result.routes().stream().filter(own).toList(), Route::toJson);
    ExtraMembers.addTo(json, ip.unknown(), OLD_IP_MEMBERS);
    return json;
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
    ExtraMembers.addTo(json, member.unknown());
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
    ExtraMembers.addTo(json, ip.unknown(), IP_MEMBERS);
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
