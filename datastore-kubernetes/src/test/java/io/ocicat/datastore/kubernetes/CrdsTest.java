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

  /** The API server refuses a schema with a part whose type is not told. */
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
