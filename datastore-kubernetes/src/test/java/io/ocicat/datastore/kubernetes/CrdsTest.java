package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.Crds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The definitions that {@code ocicat crds} prints. */
class CrdsTest {

  @ParameterizedTest
  @EnumSource
  void haveTheNamesThatCalicoAsksFor(ApiGroup group) {
    List<String> own = new ArrayList<>(List.of("ipamconfigs", "ipamconfigurations"));
    own.remove(group == ApiGroup.V1 ? "ipamconfigurations" : "ipamconfigs");

    assertThat(Crds.of(group))
        .extracting(crd -> crd.at("/metadata/name").stringValue())
        .containsExactlyInAnyOrderElementsOf(
            List.of(
                    "bgpconfigurations",
                    "bgpfilters",
                    "bgppeers",
                    "blockaffinities",
                    "caliconodestatuses",
                    "clusterinformations",
                    "felixconfigurations",
                    "globalnetworkpolicies",
                    "globalnetworksets",
                    "hostendpoints",
                    "ipamblocks",
                    own.getFirst(),
                    "ipamhandles",
                    "ippools",
                    "ipreservations",
                    "kubecontrollersconfigurations",
                    "networkpolicies",
                    "networksets",
                    "stagedglobalnetworkpolicies",
                    "stagedkubernetesnetworkpolicies",
                    "stagednetworkpolicies",
                    "tiers")
                .stream()
                .map(plural -> plural + "." + group.group())
                .toList());
  }

  @ParameterizedTest
  @EnumSource
  void areInNamespacesOnlyWhereCalicosAre(ApiGroup group) {
    assertThat(Crds.of(group))
        .filteredOn(crd -> crd.at("/spec/scope").stringValue().equals("Namespaced"))
        .extracting(crd -> crd.at("/spec/names/singular").stringValue())
        .containsExactlyInAnyOrder(
            "networkpolicy", "networkset", "stagednetworkpolicy", "stagedkubernetesnetworkpolicy");
  }

  /** Review C17: {@code kubectl explain} and {@code kubectl get} show something. */
  @ParameterizedTest
  @EnumSource
  void haveDescriptionsLimitsAndColumns(ApiGroup group) {
    for (ObjectNode crd : Crds.of(group)) {
      assertDescribed(
          crd.at("/spec/versions/0/schema/openAPIV3Schema/properties/spec"),
          crd.at("/spec/names/kind").stringValue() + ".spec");
    }
    ObjectNode peers =
        Crds.of(group).stream()
            .filter(crd -> crd.at("/spec/names/plural").stringValue().equals("bgppeers"))
            .findFirst()
            .orElseThrow();
    JsonNode version = peers.at("/spec/versions/0");
    JsonNode fields = version.at("/schema/openAPIV3Schema/properties/spec/properties");
    assertThat(fields.at("/node/maxLength").intValue()).isEqualTo(253);
    assertThat(fields.at("/ttlSecurity/maximum").intValue()).isEqualTo(255);
    assertThat(fields.at("/sourceAddress/enum")).hasSize(2);
    assertThat(fields.at("/asNumber/type").stringValue()).isEqualTo("integer");
    assertThat(version.path("additionalPrinterColumns"))
        .extracting(column -> column.path("name").stringValue())
        .containsExactly(
            "Node Selector", "Node", "Local ASN", "Peer Selector", "Peer IP", "Peer ASN");
  }

  private static void assertDescribed(JsonNode schema, String path) {
    assertThat(schema.path("description").asString("")).as(path).endsWith(".");
    schema
        .path("properties")
        .properties()
        .forEach(entry -> assertDescribed(entry.getValue(), path + "." + entry.getKey()));
  }

  /** The API server rejects a schema with an untyped part. */
  @ParameterizedTest
  @EnumSource
  void haveStructuralSchemas(ApiGroup group) {
    for (ObjectNode crd : Crds.of(group)) {
      assertStructural(crd.at("/spec/versions/0/schema/openAPIV3Schema"));
    }
  }

  private static void assertStructural(JsonNode schema) {
    boolean open =
        schema.path("x-kubernetes-preserve-unknown-fields").asBoolean(false)
            || schema.path("x-kubernetes-int-or-string").asBoolean(false);
    assertThat(open || schema.has("type")).as("%s", schema).isTrue();
    assertThat(schema.has("properties") && schema.has("additionalProperties")).isFalse();
    schema.path("properties").forEach(CrdsTest::assertStructural);
    if (schema.has("items")) {
      assertStructural(schema.get("items"));
    }
  }
}
