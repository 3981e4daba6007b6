package io.ocicat.datastore.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Problems;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The rules between fields in the definitions of custom resources say what the table says: an API
 * server refuses what we refuse, and nothing else (issue 20). A real one has confirmed each.
 */
class CelRuleTest {
  /** What the language cannot say, or not at a cost that an API server grants. */
  private static final Set<String> OF_WRITERS =
      Set.of(
          "Communities advertised are defined.",
          "Templates have different names.",
          "Nets are of one IP version.");

  static List<RulesBetweenFieldsTest.Sample> samples() throws IOException {
    return RulesBetweenFieldsTest.samples().stream()
        .filter(sample -> hasDefinition(sample.kind()))
        .toList();
  }

  private static boolean hasDefinition(Kind kind) {
    return Crds.of(ApiGroup.V3).stream()
        .anyMatch(it -> it.at("/spec/names/kind").asString("").equals(kind.text()));
  }

  private static ObjectNode document(RulesBetweenFieldsTest.Sample sample, String spec) {
    Resource resource = sample.resource(spec);
    ObjectNode document = resource.content();
    document.withObject("metadata").put("name", sample.name());
    Defaults.apply(resource.key(), document);
    return document;
  }

  /** What the definition's rules say of a document, by their words. */
  private static List<String> broken(Kind kind, ObjectNode document) {
    JsonNode definition =
        Crds.of(ApiGroup.V3).stream()
            .filter(it -> it.at("/spec/names/kind").asString("").equals(kind.text()))
            .findFirst()
            .orElseThrow();
    List<String> broken = new ArrayList<>();
    check(definition.at("/spec/versions/0/schema/openAPIV3Schema"), document, broken);
    return broken;
  }

  private static void check(JsonNode schema, JsonNode value, List<String> broken) {
    for (JsonNode rule : schema.path("x-kubernetes-validations")) {
      if (!Cel.holds(rule.path("rule").stringValue(), value)) {
        broken.add(rule.path("message").stringValue() + ".");
      }
    }
    schema
        .path("properties")
        .forEachEntry(
            (name, member) -> {
              if (value.has(name)) {
                check(member, value.get(name), broken);
              }
            });
    if (value.isArray()) {
      value.forEach(item -> check(schema.path("items"), item, broken));
    }
  }

  /** The rules of the table that a document contradicts, by their words. */
  private static Set<String> contradicted(Shape shape, JsonNode value) {
    Set<String> words = new TreeSet<>();
    switch (shape) {
      case Shape.Struct struct when value instanceof ObjectNode object -> {
        for (FieldRule rule : struct.rules()) {
          Problems problems = new Problems();
          rule.check().run(object, "", problems);
          if (!problems.isEmpty()) {
            words.add(rule.words());
          }
        }
        struct.members().forEach(m -> words.addAll(contradicted(m.shape(), object.path(m.name()))));
      }
      case Shape.ListOf list ->
          value.values().forEach(item -> words.addAll(contradicted(list.item(), item)));
      default -> {}
    }
    return words;
  }

  @ParameterizedTest
  @MethodSource("samples")
  void whatContradictsARuleIsRefused(RulesBetweenFieldsTest.Sample sample) {
    ObjectNode document = document(sample, sample.refused());
    Set<String> expected = contradicted(Shapes.of(sample.kind()), document);
    expected.removeAll(OF_WRITERS);
    if (sample.refused().contains("128.0.0.0/1")) {
      // A network around the link-local addresses.
      expected.remove("No link-local addresses.");
    }
    if (sample.refused().contains("\"1:2\"")) {
      // A range is text, as the name of a port is.
      expected.remove("Ports need a protocol that has ports.");
    }
    if (sample.refused().contains("/a?b")) {
      // It begins as a path does.
      expected.remove("exact or prefix, a path without ? and #.");
    }

    assertThat(broken(sample.kind(), document)).containsAll(expected);
  }

  @ParameterizedTest
  @MethodSource("samples")
  void whatDoesNotIsAccepted(RulesBetweenFieldsTest.Sample sample) {
    assertThat(broken(sample.kind(), document(sample, sample.accepted()))).isEmpty();
  }

  @Test
  void onlyAFewRulesAreLeftToWriters() {
    Set<String> left = new TreeSet<>();
    for (Kind kind : Kind.values()) {
      if (hasDefinition(kind) && !kind.isIpam()) {
        for (Shape.Member member : Shapes.of(kind).members()) {
          if (!member.name().equals("metadata")) {
            collect(member.shape(), left);
          }
        }
      }
    }
    assertThat(left).containsExactlyInAnyOrderElementsOf(OF_WRITERS);
  }

  private static void collect(Shape shape, Set<String> left) {
    switch (shape) {
      case Shape.Struct struct -> {
        struct.rules().stream()
            .filter(rule -> rule.cel() == null)
            .forEach(rule -> left.add(rule.words()));
        struct.members().forEach(member -> collect(member.shape(), left));
      }
      case Shape.ListOf list -> collect(list.item(), left);
      default -> {}
    }
  }

  @Test
  void aRuleNamesItsFieldsAndGuardsThem() {
    assertThat(CelRule.expand("!({node} && {?filters})", BgpPeerFields.SPEC))
        .isEqualTo(
            "!((has(self.node) && self.node != '') && (has(self.filters) && size(self.filters) > 0))");
    assertThat(Cel.holds("has(self.a) && self.a == 1", StoredJson.parseObject("{\"b\":1}")))
        .isFalse();
  }
}
