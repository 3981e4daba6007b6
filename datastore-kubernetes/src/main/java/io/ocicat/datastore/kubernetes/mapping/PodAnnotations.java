package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads and writes a pod's annotations about its endpoint. */
public final class PodAnnotations {
  private static final String CNI = "cni.projectcalico.org/";
  public static final String POD_IP = CNI + "podIP";
  public static final String POD_IPS = CNI + "podIPs";
  public static final String CONTAINER_ID = CNI + "containerID";
  public static final String AWS_IPS = "vpc.amazonaws.com/pod-ips";
  public static final String NETWORK_STATUS = "k8s.v1.cni.cncf.io/network-status";
  private static final String FLOATING_IPS = CNI + "floatingIPs";
  private static final String SOURCE_PREFIXES = CNI + "allowedSourcePrefixes";
  private static final String QOS = "qos.projectcalico.org/";
  private static final List<String> RATES =
      List.of(
          "Bandwidth",
          "Burst",
          "Peakrate",
          "Minburst",
          "PacketRate",
          "PacketBurst",
          "MaxConnections");

  private static final Pattern QUANTITY =
      Pattern.compile("(\\d{1,18}(?:\\.\\d{1,9})?)([kMGTPE]i?|Ki|m)?");
  private static final String STEPS = "kMGTPE";

  private PodAnnotations() {}

  /** Each paired with the address of its family. */
  public static void floatingIps(ObjectNode spec, ObjectNode pod, List<IpPrefix> addresses) {
    for (String text : texts(pod, FLOATING_IPS)) {
      IpAddress floating =
          IpAddress.tryParse(text)
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "annotation %s has \"%s\", which is not an address"
                              .formatted(FLOATING_IPS, text)));
      addresses.stream()
          .map(IpPrefix::address)
          .filter(address -> address.isV4() == floating.isV4())
          .findFirst()
          .ifPresent(
              address ->
                  spec.withArray("/ipNATs")
                      .addObject()
                      .put("internalIP", address.toString())
                      .put("externalIP", floating.toString()));
    }
  }

  public static void sourcePrefixes(ObjectNode spec, ObjectNode pod) {
    for (String text : texts(pod, SOURCE_PREFIXES)) {
      IpPrefix prefix =
          IpPrefix.tryParse(text)
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "annotation %s has \"%s\", which is not a CIDR"
                              .formatted(SOURCE_PREFIXES, text)));
      spec.withArray("/allowSpoofedSourcePrefixes").add(prefix.network().toString());
    }
  }

  private static List<String> texts(ObjectNode pod, String annotation) {
    String text = JsonTrees.annotation(pod, annotation);
    if (text.isEmpty()) {
      return List.of();
    }
    List<String> texts = new ArrayList<>();
    try {
      for (JsonNode item : StoredJson.parseObject("{\"list\":" + text + "}").path("list")) {
        texts.add(item.asString(""));
      }
      return texts;
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "annotation %s is not a JSON list of texts: %s".formatted(annotation, text), e);
    }
  }

  /** Unreadable ones are ignored, as in Calico. */
  public static void qosControls(ObjectNode spec, ObjectNode pod) {
    ObjectNode controls = Json.object();
    for (String direction : List.of("ingress", "egress")) {
      quantity(JsonTrees.annotation(pod, "kubernetes.io/" + direction + "-bandwidth"))
          .ifPresent(rate -> controls.put(direction + "Bandwidth", rate));
      for (String rate : RATES) {
        quantity(JsonTrees.annotation(pod, QOS + direction + rate))
            .ifPresent(value -> controls.put(direction + rate, value));
      }
    }
    String dscp = JsonTrees.annotation(pod, QOS + "dscp");
    if (dscp.matches("\\d{1,2}")) {
      controls.put("dscp", Integer.parseInt(dscp));
    } else if (!dscp.isEmpty()) {
      controls.put("dscp", dscp);
    }
    if (!controls.isEmpty()) {
      spec.set("qosControls", controls);
    }
  }

  /** Parses a Kubernetes quantity: 10M is ten million, 1Ki is 1024. */
  public static Optional<Long> quantity(String text) {
    Matcher parts = QUANTITY.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    BigDecimal number = new BigDecimal(parts.group(1));
    String unit = parts.group(2) == null ? "" : parts.group(2);
    BigDecimal scaled =
        switch (unit) {
          case "" -> number;
          case "m" -> number.movePointLeft(3);
          default -> {
            int power =
                STEPS.indexOf(Character.toLowerCase(unit.charAt(0)) == 'k' ? 'k' : unit.charAt(0))
                    + 1;
            yield number.multiply(new BigDecimal(unit.endsWith("i") ? 1024 : 1000).pow(power));
          }
        };
    BigDecimal whole = scaled.setScale(0, RoundingMode.CEILING);
    return whole.toBigInteger().bitLength() < Long.SIZE
        ? Optional.of(whole.longValueExact())
        : Optional.empty();
  }

  /** Returns the annotations for a pod that got its addresses. */
  public static Map<String, String> written(JsonNode spec) {
    List<String> networks = new ArrayList<>();
    spec.path("ipNetworks").forEach(network -> networks.add(network.asString("")));
    if (networks.isEmpty()) {
      return Map.of();
    }
    String container = JsonTrees.text(spec, "containerID");
    Map<String, String> addresses =
        Map.of(POD_IP, networks.getFirst(), POD_IPS, String.join(",", networks));
    return container.isEmpty()
        ? addresses
        : Map.of(
            CONTAINER_ID,
            container,
            POD_IP,
            networks.getFirst(),
            POD_IPS,
            String.join(",", networks));
  }
}
