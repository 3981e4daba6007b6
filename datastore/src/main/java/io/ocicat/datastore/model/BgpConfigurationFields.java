package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.duration;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.base.json.Problems;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The schema of BGPConfiguration: how nodes speak BGP, and what they advertise. */
final class BgpConfigurationFields {
  static final List<String> SEVERITIES =
      List.of("Trace", "Debug", "Info", "Warning", "Error", "Fatal");
  private static final int MAX_PRIORITY = 2147483646;

  private static final ValueLimit IGNORED_INTERFACE =
      ValueRules.matching(
          "ignored interface",
          Pattern.compile("(?!\\*$)[a-zA-Z0-9_.*-]{1,15}"),
          "must be 1–15 letters, digits, _, ., - or *, and not * alone");

  private static final Shape.Struct CIDR_ENTRY =
      new Shape.Struct(
          text("cidr", "The network.").is(ValueRules.NETWORK).is(ValueRules.CIDR_WITH_LENGTH));

  private static final Shape.Struct SPEC =
      new Shape.Struct(
              text("logSeverityScreen", "The lowest severity that is logged.")
                  .is(ValueLimit.anyCase(SEVERITIES))
                  .initially("Info"),
              flag("nodeToNodeMeshEnabled", "Whether every node peers with every other.")
                  .ifPresent(),
              BgpFields.asNumber("asNumber", "The nodes' AS number.").ifPresent(),
              structs("serviceLoadBalancerIPs", "LoadBalancer addresses to advertise.", CIDR_ENTRY),
              structs("serviceExternalIPs", "External addresses to advertise.", CIDR_ENTRY),
              structs("serviceClusterIPs", "Cluster addresses to advertise.", CIDR_ENTRY),
              text(
                      "serviceLoadBalancerAggregation",
                      "Whether LoadBalancer ranges are advertised whole.")
                  .in("Enabled", "Disabled")
                  .initially("Enabled")
                  .ifPresent(),
              structs(
                      "communities",
                      "Communities by name.",
                      new Shape.Struct(
                          text("name", "The name.").max(253).is(ValueRules.NAME).require(),
                          text("value", "The community, as in 64512:100 or 64512:1:2.")
                              .max(40)
                              .is(BgpFields.COMMUNITY_VALUE)
                              .require()))
                  .items(0, 500),
              structs(
                      "prefixAdvertisements",
                      "Which networks are advertised with which communities.",
                      new Shape.Struct(
                          text("cidr", "The network.")
                              .is(ValueRules.NETWORK)
                              .is(ValueRules.CIDR_WITH_LENGTH)
                              .require(),
                          texts("communities", "Communities, or names of them.")
                              .items(0, 50)
                              .require()))
                  .items(0, 500),
              whole("listenPort", "The port on which nodes listen.", 1, 65535),
              struct("nodeMeshPassword", "The mesh's password.", BgpFields.PASSWORD),
              duration("nodeMeshMaxRestartTime", "How long routes are kept in a restart."),
              text("bindMode", "On which addresses nodes listen.").in("None", "NodeIP").ifPresent(),
              texts("ignoredInterfaces", "Interfaces whose routes are left alone.")
                  .distinct()
                  .is(IGNORED_INTERFACE),
              text("localWorkloadPeeringIPV4", "Our IPv4 address towards workloads.")
                  .is(ValueRules.IPV4),
              text("localWorkloadPeeringIPV6", "Our IPv6 address towards workloads.")
                  .is(ValueRules.IPV6),
              text("programClusterRoutes", "Whether BIRD programs the routes to pods.")
                  .in("Enabled", "Disabled", "EnabledIPIPOnly", "EnabledNoEncapOnly")
                  .ifPresent(),
              whole("ipv4NormalRoutePriority", "The priority of IPv4 routes.", 1, MAX_PRIORITY)
                  .ifPresent(),
              whole("ipv6NormalRoutePriority", "The priority of IPv6 routes.", 1, MAX_PRIORITY)
                  .ifPresent())
          .where(
              withMesh("nodeMeshPassword"),
              withMesh("nodeMeshMaxRestartTime"),
              FieldRule.needs("communities", "prefixAdvertisements"))
          .where("Communities advertised are defined.", BgpConfigurationFields::definedCommunities);

  static final Shape.Struct DOCUMENT =
      MetadataShape.document("The BGP configuration of the nodes.", SPEC)
          .where(
              FieldRule.onlyInDefault(
                  List.of(
                      "nodeToNodeMeshEnabled",
                      "asNumber",
                      "serviceLoadBalancerIPs",
                      "serviceExternalIPs",
                      "serviceClusterIPs",
                      "nodeMeshPassword",
                      "nodeMeshMaxRestartTime")));

  private BgpConfigurationFields() {}

  private static FieldRule withMesh(String field) {
    return new FieldRule(
        "%s needs the mesh.".formatted(field),
        "!{?%s} || !has(self.nodeToNodeMeshEnabled) || self.nodeToNodeMeshEnabled".formatted(field),
        (spec, path, problems) -> {
          boolean off =
              spec.path("nodeToNodeMeshEnabled").isBoolean()
                  && !spec.path("nodeToNodeMeshEnabled").booleanValue();
          if (off && spec.has(field)) {
            problems.add(path + "." + field, "cannot be set while nodeToNodeMeshEnabled is false");
          }
        });
  }

  private static void definedCommunities(ObjectNode spec, String path, Problems problems) {
    Set<String> names =
        spec.path("communities")
            .valueStream()
            .map(community -> community.path("name").asString(""))
            .collect(Collectors.toSet());
    for (JsonNode advertisement : spec.path("prefixAdvertisements").values()) {
      for (JsonNode community : advertisement.path("communities").values()) {
        String value = community.stringValue();
        if (!names.contains(value) && !BgpFields.isCommunity(value)) {
          problems.add(
              path + ".prefixAdvertisements",
              BgpFields.notCommunity(value) + ", nor the name of one in communities");
        }
      }
    }
  }
}
