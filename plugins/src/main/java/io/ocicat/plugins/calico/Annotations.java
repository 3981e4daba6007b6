package io.ocicat.plugins.calico;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * The settings that a pod requests by annotations, all read before anything changes. Absent ones
 * are empty.
 *
 * @param families which of IPv4 and IPv6
 */
record Annotations(
    Optional<List<String>> ipv4Pools,
    Optional<List<String>> ipv6Pools,
    Optional<List<String>> families,
    List<IpAddress> ipAddrs,
    List<IpAddress> ipAddrsNoIpam,
    List<IpAddress> floatingIps,
    List<IpPrefix> allowedSourcePrefixes,
    Optional<MacAddress> mac) {
  private static final String PREFIX = "cni.projectcalico.org/";

  /**
   * Reads them.
   *
   * @throws CniException naming one that is invalid
   */
  static Annotations of(Workload workload) {
    Map<String, String> pod = workload.annotations();
    Annotations all =
        new Annotations(
            inherited(workload, "ipv4pools"),
            inherited(workload, "ipv6pools"),
            inherited(workload, "ipFamilies"),
            list(pod, "ipAddrs", IpAddress::parse).orElse(List.of()),
            list(pod, "ipAddrsNoIpam", IpAddress::parse).orElse(List.of()),
            list(pod, "floatingIPs", IpAddress::parse).orElse(List.of()),
            list(pod, "allowedSourcePrefixes", text -> IpPrefix.parse(text).network())
                .orElse(List.of()),
            Optional.ofNullable(pod.get(PREFIX + "hwAddr"))
                .map(text -> parse("hwAddr", text, MacAddress::parse)));
    all.families.ifPresent(Annotations::checkFamilies);
    checkAddresses(pod, "ipAddrs", all.ipAddrs);
    checkAddresses(pod, "ipAddrsNoIpam", all.ipAddrsNoIpam);
    if (!all.ipAddrs.isEmpty() && !all.ipAddrsNoIpam.isEmpty()) {
      throw refuse("ipAddrs", "cannot be used together with " + PREFIX + "ipAddrsNoIpam");
    }
    return all;
  }

  private static void checkFamilies(List<String> families) {
    for (String family : families) {
      if (!family.equals("IPv4") && !family.equals("IPv6")) {
        throw refuse("ipFamilies", "may hold \"IPv4\" and \"IPv6\", not \"%s\"".formatted(family));
      }
    }
    if (families.isEmpty()) {
      throw refuse("ipFamilies", "must hold \"IPv4\", \"IPv6\" or both");
    }
  }

  private static void checkAddresses(
      Map<String, String> pod, String name, List<IpAddress> addresses) {
    if (pod.containsKey(PREFIX + name) && addresses.isEmpty()) {
      throw refuse(name, "must hold at least one address");
    }
    long v4 = addresses.stream().filter(IpAddress::isV4).count();
    if (v4 > 1 || addresses.size() - v4 > 1) {
      throw refuse(
          name,
          "may hold at most one IPv4 and one IPv6 address, not %s"
              .formatted(pod.get(PREFIX + name)));
    }
  }

  /** The namespace's annotation is the default for its pods. */
  private static Optional<List<String>> inherited(Workload workload, String name) {
    String own = workload.annotations().getOrDefault(PREFIX + name, "");
    Map<String, String> from =
        own.isEmpty() ? workload.namespaceAnnotations() : workload.annotations();
    return from.getOrDefault(PREFIX + name, "").isEmpty()
        ? Optional.empty()
        : list(from, name, text -> text);
  }

  private static <T> Optional<List<T>> list(
      Map<String, String> annotations, String name, Function<String, T> conversion) {
    String text = annotations.get(PREFIX + name);
    if (text == null) {
      return Optional.empty();
    }
    JsonNode json;
    try {
      json = CniJson.parse(text);
    } catch (CniException e) {
      throw refuse(name, "must be a JSON list of texts, not \"%s\"".formatted(text));
    }
    if (!json.isArray()) {
      throw refuse(name, "must be a JSON list of texts, not \"%s\"".formatted(text));
    }
    List<T> items = new ArrayList<>();
    for (JsonNode item : json.values()) {
      if (!item.isString()) {
        throw refuse(name, "must be a JSON list of texts, not \"%s\"".formatted(text));
      }
      items.add(parse(name, item.stringValue(), conversion));
    }
    return Optional.of(items);
  }

  private static <T> T parse(String name, String text, Function<String, T> conversion) {
    try {
      return conversion.apply(text);
    } catch (IllegalArgumentException e) {
      throw refuse(name, "holds what cannot be used: " + e.getMessage());
    }
  }

  static CniException refuse(String name, String why) {
    return new CniException(
        ErrorCode.INVALID_NETWORK_CONFIG, "annotation %s%s %s".formatted(PREFIX, name, why));
  }
}
