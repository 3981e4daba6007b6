package io.ocicat.conformance.check;

import io.ocicat.base.json.Json;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.SpecVersion.Family;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Compares a result with the specification, member by member and without the leniency that runtimes
 * need: whatever it finds may break some runtime. Unknown members are ignored.
 */
final class ResultShape {
  private final SpecVersion version;
  private final List<String> problems = new ArrayList<>();

  private ResultShape(SpecVersion version) {
    this.version = version;
  }

  /** What is wrong with a result of that version; empty when nothing is. */
  static List<String> problems(ObjectNode result, SpecVersion version) {
    ResultShape shape = new ResultShape(version);
    shape.result(result);
    return Collections.unmodifiableList(shape.problems);
  }

  private void result(ObjectNode result) {
    String named = text(result, "", "cniVersion", true);
    if (result.has("cniVersion") && !named.equals(version.text())) {
      problems.add("cniVersion is \"%s\", not \"%s\"".formatted(named, version));
    }
    if (version.family() == Family.V0_2) {
      absent(result, Set.of("ips", "interfaces", "routes"));
      address(result, "ip4", true);
      address(result, "ip6", false);
    } else {
      absent(result, Set.of("ip4", "ip6"));
      List<ObjectNode> interfaces = objects(result, "", "interfaces");
      for (int i = 0; i < interfaces.size(); i++) {
        interfaceAt(interfaces.get(i), "interfaces[" + i + "].");
      }
      List<ObjectNode> ips = objects(result, "", "ips");
      for (int i = 0; i < ips.size(); i++) {
        ip(ips.get(i), "ips[" + i + "].", interfaces.size());
      }
      routes(result, "");
    }
    dns(result);
  }

  /** ip4 and ip6 of the oldest versions. */
  private void address(ObjectNode result, String member, boolean v4) {
    ObjectNode address = object(result, "", member);
    if (address == null) {
      return;
    }
    String path = member + ".";
    family(prefix(address, path, "ip"), v4, path + "ip");
    ip(address, path, "gateway");
    routes(address, path);
  }

  private void interfaceAt(ObjectNode link, String path) {
    if (text(link, path, "name", true).isEmpty()) {
      problems.add(path + "name is empty");
    }
    text(link, path, "mac", false);
    text(link, path, "sandbox", false);
    if (version.isAtLeast(SpecVersion.V1_1_0)) {
      number(link, path, "mtu");
      text(link, path, "socketPath", false);
      text(link, path, "pciID", false);
    }
  }

  private void ip(ObjectNode ip, String path, int interfaces) {
    IpPrefix address = prefix(ip, path, "address");
    ip(ip, path, "gateway");
    JsonNode index = ip.get("interface");
    if (index != null
        && !(index.isIntegralNumber() && index.asLong() >= 0 && index.asLong() < interfaces)) {
      problems.add(
          "%sinterface is %s, not the index of one of %d interfaces"
              .formatted(path, Json.compact(index), interfaces));
    }
    if (version.family() == Family.V1) {
      if (ip.has("version")) {
        problems.add(path + "version is there, 1.0.0 removed it");
      }
    } else if (address != null) {
      String expected = address.isV4() ? "4" : "6";
      if (!text(ip, path, "version", true).equals(expected)) {
        problems.add("%sversion is not \"%s\"".formatted(path, expected));
      }
    }
  }

  private void routes(ObjectNode parent, String path) {
    List<ObjectNode> routes = objects(parent, path, "routes");
    for (int i = 0; i < routes.size(); i++) {
      String at = path + "routes[" + i + "].";
      prefix(routes.get(i), at, "dst");
      ip(routes.get(i), at, "gw");
    }
  }

  private void dns(ObjectNode result) {
    ObjectNode dns = object(result, "", "dns");
    if (dns == null) {
      return;
    }
    text(dns, "dns.", "domain", false);
    for (String list : List.of("nameservers", "search", "options")) {
      JsonNode value = dns.get(list);
      if (value != null && !(value.isArray() && value.valueStream().allMatch(JsonNode::isString))) {
        problems.add("dns." + list + " is not a list of texts");
      }
    }
  }

  private void absent(ObjectNode result, Set<String> members) {
    members.stream()
        .filter(result::has)
        .sorted()
        .forEach(member -> problems.add("%s is there, %s has none".formatted(member, version)));
  }

  private void family(@Nullable IpPrefix prefix, boolean v4, String path) {
    if (prefix != null && prefix.isV4() != v4) {
      problems.add("%s is %s, of the other family".formatted(path, prefix));
    }
  }

  private String text(ObjectNode parent, String path, String member, boolean required) {
    JsonNode value = parent.get(member);
    if (value == null) {
      if (required) {
        problems.add(path + member + " is missing");
      }
      return "";
    }
    if (!value.isString()) {
      problems.add("%s%s is not a text: %s".formatted(path, member, Json.compact(value)));
      return "";
    }
    return value.asString();
  }

  private void number(ObjectNode parent, String path, String member) {
    JsonNode value = parent.get(member);
    if (value != null && !(value.isIntegralNumber() && value.asLong() >= 0)) {
      problems.add("%s%s is not a number from 0: %s".formatted(path, member, Json.compact(value)));
    }
  }

  private @Nullable IpPrefix prefix(ObjectNode parent, String path, String member) {
    String text = text(parent, path, member, true);
    IpPrefix prefix = IpPrefix.tryParse(text).orElse(null);
    if (prefix == null && !text.isEmpty()) {
      problems.add("%s%s is not an address with a prefix length: %s".formatted(path, member, text));
    }
    return prefix;
  }

  private void ip(ObjectNode parent, String path, String member) {
    String text = text(parent, path, member, false);
    if (!text.isEmpty() && IpAddress.tryParse(text).isEmpty()) {
      problems.add("%s%s is not an address: %s".formatted(path, member, text));
    }
  }

  private @Nullable ObjectNode object(ObjectNode parent, String path, String member) {
    JsonNode value = parent.get(member);
    if (value == null || value instanceof ObjectNode) {
      return (ObjectNode) value;
    }
    problems.add("%s%s is not an object: %s".formatted(path, member, Json.compact(value)));
    return null;
  }

  private List<ObjectNode> objects(ObjectNode parent, String path, String member) {
    JsonNode value = parent.get(member);
    if (value == null) {
      return List.of();
    }
    if (!value.isArray() || value.valueStream().anyMatch(element -> !element.isObject())) {
      problems.add("%s%s is not a list of objects".formatted(path, member));
      return List.of();
    }
    return value.valueStream().map(ObjectNode.class::cast).toList();
  }
}
