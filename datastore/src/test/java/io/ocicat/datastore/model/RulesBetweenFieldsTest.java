package io.ocicat.datastore.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Problems;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Every rule between fields, both ways: a violation is rejected and names the field, and a document
 * that differs from it in one field only is accepted (review K5).
 */
class RulesBetweenFieldsTest {

  /** These are about metadata: see {@link ResourceAdmissionTest}. */
  private static final Set<String> OF_METADATA =
      Set.of("Annotations have at most 256 KiB.", "The namespace is no label.");

  /** One line of rules.samples. */
  record Sample(Kind kind, String name, String refused, String message, String accepted) {
    Resource resource(String spec) {
      return Resource.of(
          new ResourceKey.Named(kind, kind.isNamespaced() ? "shop" : "", name),
          node -> node.setAll(StoredJson.parseObject(spec)));
    }

    @Override
    public String toString() {
      return kind + " " + message;
    }
  }

  static List<Sample> samples() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(RulesBetweenFieldsTest.class.getResourceAsStream("rules.samples"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(
              line -> {
                String[] parts = line.split(" ; ", -1);
                return new Sample(Kind.valueOf(parts[0]), parts[1], parts[2], parts[3], parts[4]);
              })
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("samples")
  void whatContradictsIsRefused(Sample sample) {
    assertThatThrownBy(
            () -> ResourceAdmission.standard().forCreate(sample.resource(sample.refused())))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining(sample.message())
        .message()
        .doesNotContain("\n");
  }

  @ParameterizedTest
  @MethodSource("samples")
  void whatDoesNotIsAccepted(Sample sample) {
    assertThat(ResourceAdmission.standard().forCreate(sample.resource(sample.accepted())))
        .isNotNull();
  }

  @Test
  void everyRuleHasASample() throws IOException {
    Set<FieldRule> broken = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Sample sample : samples()) {
      ObjectNode document = sample.resource(sample.refused()).content();
      document.withObject("metadata").put("name", sample.name());
      Defaults.apply(sample.resource("{}").key(), document);
      collect(Shapes.of(sample.kind()), document, broken);
    }
    List<String> untried = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      untried(Shapes.of(kind), broken, kind.text(), untried);
    }

    assertThat(untried).isEmpty();
  }

  private static void collect(Shape shape, JsonNode value, Set<FieldRule> broken) {
    switch (shape) {
      case Shape.Struct struct when value instanceof ObjectNode object -> {
        for (FieldRule rule : struct.rules()) {
          Problems problems = new Problems();
          rule.check().run(object, "", problems);
          if (!problems.isEmpty()) {
            broken.add(rule);
          }
        }
        struct.members().forEach(m -> collect(m.shape(), object.path(m.name()), broken));
      }
      case Shape.ListOf list -> value.values().forEach(item -> collect(list.item(), item, broken));
      default -> {}
    }
  }

  private static void untried(
      Shape shape, Set<FieldRule> broken, String path, List<String> untried) {
    switch (shape) {
      case Shape.Struct struct -> {
        struct.rules().stream()
            .filter(rule -> !broken.contains(rule) && !OF_METADATA.contains(rule.words()))
            .forEach(rule -> untried.add(path + ": " + rule.words()));
        struct.members().forEach(m -> untried(m.shape(), broken, path + "." + m.name(), untried));
      }
      case Shape.ListOf list -> untried(list.item(), broken, path + "[]", untried);
      default -> {}
    }
  }
}
