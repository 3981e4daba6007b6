package io.ocicat.datastore.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.model.ResourceAdmission;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.testkit.Seeded;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Keys and values of every kind, byte for byte as Calico writes them. */
class GoldenDocumentsTest {

  private static final Set<String> MAPS =
      Set.of(
          "labels",
          "annotations",
          "labelsToApply",
          "matchLabels",
          "bpfLogFilters",
          "secondary",
          "sequenceNumberForAllocation",
          "block");

  /** A key and a value, one line each. */
  record Golden(String name, String key, String value) {
    KeyValue entry() {
      return new KeyValue(key, value, 7, 7, 0);
    }

    ResourceKey resourceKey() {
      return CalicoLayout.parse(key).orElseThrow();
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static List<Golden> documents() throws IOException, URISyntaxException {
    Path directory =
        Path.of(
            Objects.requireNonNull(
                    GoldenDocumentsTest.class.getResource("/io/ocicat/datastore/model/golden"))
                .toURI());
    try (Stream<Path> files = Files.list(directory)) {
      List<Golden> all = new ArrayList<>();
      for (Path file : files.sorted().toList()) {
        List<String> lines = Files.readAllLines(file);
        all.add(new Golden(file.getFileName().toString(), lines.get(0), lines.get(1)));
      }
      return all;
    }
  }

  @Test
  void everyKindHasOne() throws Exception {
    Set<Kind> kinds = EnumSet.noneOf(Kind.class);
    documents().forEach(golden -> kinds.add(golden.resourceKey().kind()));

    assertThat(kinds).containsExactlyInAnyOrder(Kind.values());
  }

  @ParameterizedTest
  @MethodSource("documents")
  void theKeyIsReadAndWritten(Golden golden) {
    assertThat(CalicoLayout.path(golden.resourceKey())).isEqualTo(golden.key());
  }

  @ParameterizedTest
  @MethodSource("documents")
  void aRewriteKeepsEveryByte(Golden golden) {
    Resource read = CalicoLayout.decode(golden.resourceKey(), golden.entry());

    Resource admitted = ResourceAdmission.standard().forUpdate(read);

    assertThat(read.revision()).isEqualTo("7");
    assertThat(CalicoLayout.encode(admitted)).isEqualTo(golden.value());
  }

  @ParameterizedTest
  @MethodSource("documents")
  void theOrderOfMembersDoesNotMatter(Golden golden) {
    Seeded.forAll(
        20,
        random -> {
          Resource read = CalicoLayout.decode(golden.resourceKey(), golden.entry());
          Resource shuffled =
              Resource.stored(read.key(), shuffle(read.content(), random), read.revision());

          String written = CalicoLayout.encode(ResourceAdmission.standard().forUpdate(shuffled));

          assertThat(StoredJson.parseObject(written))
              .isEqualTo(StoredJson.parseObject(golden.value()));
          if (!golden.value().contains("somethingNew")) {
            assertThat(written).isEqualTo(golden.value());
          }
        });
  }

  @ParameterizedTest
  @MethodSource("documents")
  void unknownMembersSurviveAnywhere(Golden golden) {
    Seeded.forAll(
        20,
        random -> {
          Resource read = CalicoLayout.decode(golden.resourceKey(), golden.entry());
          ObjectNode content = read.content();
          addUnknown(content, random);
          Resource changed = Resource.stored(read.key(), content, read.revision());

          String written = CalicoLayout.encode(ResourceAdmission.standard().forUpdate(changed));

          KeyValue stored = new KeyValue(golden.key(), written, 7, 7, 0);
          assertThat(CalicoLayout.decode(read.key(), stored).content()).isEqualTo(content);
        });
  }

  /**
   * Adds numbers that no double holds, and text that Go escapes, to any object that is not a map.
   */
  private static void addUnknown(ObjectNode object, Random random) {
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      if (member.getValue() instanceof ObjectNode inner && !MAPS.contains(member.getKey())) {
        addUnknown(inner, random);
      }
      if (member.getValue() instanceof ArrayNode items) {
        for (JsonNode item : items.values()) {
          if (item instanceof ObjectNode inner) {
            addUnknown(inner, random);
          }
        }
      }
    }
    if (random.nextBoolean()) {
      object.put("unknown" + random.nextInt(9), random.nextLong());
    }
    if (random.nextInt(4) == 0) {
      object
          .putObject("strange")
          .put("<&\u2028>", "é\uD83D\uDC08")
          .putNull("nothing")
          .putArray("none");
    }
  }

  private static ObjectNode shuffle(JsonNode object, Random random) {
    List<Map.Entry<String, JsonNode>> members = new ArrayList<>(object.properties());
    Collections.shuffle(members, random);
    ObjectNode out = Json.object();
    for (Map.Entry<String, JsonNode> member : members) {
      out.set(member.getKey(), shuffleValue(member.getValue(), random));
    }
    return out;
  }

  private static JsonNode shuffleValue(JsonNode value, Random random) {
    if (value.isObject()) {
      return shuffle(value, random);
    }
    if (value.isArray()) {
      ArrayNode out = Json.array();
      value.values().forEach(item -> out.add(shuffleValue(item, random)));
      return out;
    }
    return value;
  }
}
