package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.datastore.json.Problems;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What is configured for BGP and for Felix. */
final class ConfigurationShapes {
  private static final Pattern DURATION =
      Pattern.compile("-?(0|((\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|ms|s|m|h))+)");
  private static final Pattern COMMUNITY =
      Pattern.compile("(\\d{1,10}):(\\d{1,10})(:(\\d{1,10}))?");
  private static final Shape.Rule INTERFACE_PATTERN =
      Rules.matching(
          Pattern.compile("(?!\\*$)[a-zA-Z0-9_.*-]{1,15}"),
          "must be 1–15 letters, digits, _, ., - or *, and not * alone");

  private static final Shape.Rule GO_DURATION =
      Rules.matching(DURATION, "must be a duration as in 90s or 1m30s");

  private static final Shape.Struct CIDR_ENTRY = new Shape.Struct(text("cidr", Rules.NETWORK));

  static final Shape.Struct BGP =
      new Shape.Struct(
              text(
                  "logSeverityScreen",
                  Rules.oneOf("Trace", "Debug", "Info", "Warning", "Error", "Fatal")),
              flag("nodeToNodeMeshEnabled").ifPresent(),
              field("asNumber", NodeShapes.AS_NUMBER).ifPresent(),
              structs("serviceLoadBalancerIPs", CIDR_ENTRY),
              structs("serviceExternalIPs", CIDR_ENTRY),
              structs("serviceClusterIPs", CIDR_ENTRY),
              text("serviceLoadBalancerAggregation", Rules.oneOf("Enabled", "Disabled"))
                  .ifPresent(),
              structs(
                  "communities",
                  new Shape.Struct(text("name", Rules.NAME).require(), text("value").require())),
              structs(
                  "prefixAdvertisements",
                  new Shape.Struct(
                      text("cidr", Rules.NETWORK).require(), texts("communities").require())),
              whole("listenPort", 1, 65535),
              field("nodeMeshPassword", new Shape.Anything()).ifPresent(),
              text("nodeMeshMaxRestartTime", GO_DURATION).ifPresent(),
              text("bindMode", Rules.oneOf("None", "NodeIP")).ifPresent(),
              texts("ignoredInterfaces", INTERFACE_PATTERN),
              text("localWorkloadPeeringIPV4", Rules.IPV4),
              text("localWorkloadPeeringIPV6", Rules.IPV6),
              text("programClusterRoutes", Rules.oneOf("Enabled", "Disabled")).ifPresent(),
              whole("ipv4NormalRoutePriority", 1, 2147483646).ifPresent(),
              whole("ipv6NormalRoutePriority", 1, 2147483646).ifPresent())
          .where(ConfigurationShapes::checkCommunities);

  static final Shape.Struct FELIX = read("felixconfiguration.fields");

  private ConfigurationShapes() {}

  private static void checkCommunities(ObjectNode spec, String path, Problems problems) {
    Set<String> names =
        spec.path("communities")
            .valueStream()
            .map(community -> community.path("name").asString(""))
            .collect(Collectors.toSet());
    for (JsonNode community : spec.path("communities").values()) {
      String value = community.path("value").asString("");
      if (!isCommunity(value)) {
        problems.add(path + ".communities", notCommunity(value));
      }
    }
    if (!names.isEmpty() && spec.path("prefixAdvertisements").isEmpty()) {
      problems.add(path + ".communities", "are of no use without prefixAdvertisements");
    }
    for (JsonNode advertisement : spec.path("prefixAdvertisements").values()) {
      for (JsonNode community : advertisement.path("communities").values()) {
        String value = community.stringValue();
        if (!names.contains(value) && !isCommunity(value)) {
          problems.add(
              path + ".prefixAdvertisements",
              notCommunity(value) + ", nor the name of one in communities");
        }
      }
    }
  }

  private static String notCommunity(String value) {
    return "%s is not a community, as in 64512:100 or 64512:1:2".formatted(Problems.quote(value));
  }

  /** Two numbers of 16 bits, or three of 32. */
  private static boolean isCommunity(String value) {
    if (!COMMUNITY.matcher(value).matches()) {
      return false;
    }
    List<String> parts = List.of(value.split(":", -1));
    long max = parts.size() == 2 ? 0xffff : 0xffff_ffffL;
    return parts.stream().allMatch(part -> Long.parseLong(part) <= max);
  }

  private static Shape.Struct read(String resource) {
    try (InputStream in =
        Objects.requireNonNull(ConfigurationShapes.class.getResourceAsStream(resource))) {
      return new Shape.Struct(
          new String(in.readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.startsWith("#"))
              .map(ConfigurationShapes::member)
              .toArray(Shape.Member[]::new));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + resource, e);
    }
  }

  private static Shape.Member member(String line) {
    int space = line.indexOf(' ');
    String name = line.substring(0, space);
    String type = line.substring(space + 1);
    boolean pointer = type.endsWith("?");
    boolean always = type.endsWith("!");
    Shape.Member member =
        switch (pointer || always ? type.substring(0, type.length() - 1) : type) {
          case "text" -> text(name);
          case "flag" -> flag(name);
          case "whole" -> whole(name, Integer.MIN_VALUE, 0xffff_ffffL);
          case "duration" -> text(name, GO_DURATION);
          case "texts" -> texts(name);
          case "any" -> field(name, new Shape.Anything());
          default -> throw new IllegalStateException("no such type: " + line);
        };
    return pointer ? member.ifPresent() : always ? member.always() : member;
  }
}
