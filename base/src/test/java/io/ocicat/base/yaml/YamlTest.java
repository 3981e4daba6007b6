package io.ocicat.base.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.GoWriter;
import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonReader;
import io.ocicat.base.json.JsonReader.DuplicateKeys;
import io.ocicat.testkit.Seeded;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

class YamlTest {
  private static final JsonReader JSON =
      new JsonReader(1 << 20, JsonReader.ANY_NUMBER_OF_TOKENS, DuplicateKeys.REFUSED);
  private static final List<String> TEXTS =
      List.of(
          "plain",
          "two words",
          "",
          " ",
          "yes",
          "No",
          "on",
          "null",
          "~",
          "true",
          "12",
          "1.5",
          "0x1f",
          "1e3",
          "-",
          "- a",
          "a: b",
          "a:b",
          "key:",
          "#x",
          "a #x",
          "'",
          "\"",
          "it's",
          "@x",
          "`",
          "{}",
          "[a]",
          "*a",
          "&a",
          "!t",
          "%d",
          "|",
          ">",
          "?",
          "? x",
          "---",
          "...",
          "tab\t",
          "two\nlines",
          "ends\n",
          "ends\n\n",
          "\nstarts",
          " starts\nblank",
          "10.65.0.0/16",
          "fd00::/64",
          "::",
          "2026-01-01",
          "2026-11-15T10:00:00Z",
          "12:30:45",
          "\u0007",
          "\u00e4\u20ac\ud83d\ude00",
          "<<",
          "=",
          "a\\b",
          "8000:8010",
          "ends ",
          "\ufeffbom",
          "x: |\n  y");

  private static JsonNode one(String text) {
    List<YamlReader.Document> documents = YamlReader.readAll(text);
    assertThat(documents).hasSize(1);
    return documents.getFirst().value();
  }

  @ParameterizedTest
  @CsvSource({
    "1767225600000000004,1767225600000000004",
    "18446744073709551615,18446744073709551615",
    "0.1000,0.1",
    "0x1F,31",
    "0o17,15",
    "032,26",
    "08,8",
    "-0b101,-5",
    "1_000,1000",
    "1_000.5,1000.5",
    "+5,5",
    ".5,0.5",
    "100.0,100",
    "true,true",
    "True,true",
    "tRue,\"tRue\"",
    "yes,true",
    "no,false",
    "On,true",
    "off,false",
    "y,true",
    "N,false",
    "!!str yes,\"yes\"",
    "!!int 032,26",
    "~,null",
    "'12','12'",
    "1e3,1000",
    "10.65.0.0/16,\"10.65.0.0/16\"",
    "1:20,\"1:20\"",
    "2026-1-02,\"2026-01-02T00:00:00Z\"",
    "2026-01-01T10:00:00Z,\"2026-01-01T10:00:00Z\""
  })
  void valuesAreReadAsKubernetesToolsReadThem(String yaml, String json) {
    assertThat(GoWriter.write(one("v: " + yaml).path("v"))).isEqualTo(json.replace('\'', '"'));
  }

  /** As sigs.k8s.io/yaml, which calicoctl reads with (review K15). */
  @Test
  void namesAreReadAsValuesToo() {
    assertThat(one("on: 1\n032: 2\nname: 3"))
        .isEqualTo(JSON.parseObject("{\"true\":1,\"26\":2,\"name\":3}"));
  }

  @Test
  void whatIsQuotedIsText() {
    assertThat(one("a: \"12\"\nb: 'true'"))
        .isEqualTo(JSON.parseObject("{\"a\":\"12\",\"b\":\"true\"}"));
  }

  @Test
  void aStreamHasManyDocumentsAndEmptyOnesCount() {
    List<YamlReader.Document> documents =
        YamlReader.readAll("a: 1\n---\n---\n# nothing\n---\nb: 2\n");
    assertThat(documents).extracting(YamlReader.Document::number).containsExactly(1, 4);
  }

  @Test
  void jsonIsReadAsJson() {
    assertThat(one("{\"a\": \"\\ud83d\\ude00\", \"b\": [1, 2]}").path("a").stringValue())
        .isEqualTo("\ud83d\ude00");
    assertThat(one("[{\"a\": 1}]").isArray()).isTrue();
  }

  @Test
  void mistakesAreToldByDocumentLineAndColumn() {
    assertThatThrownBy(() -> YamlReader.readAll("a: 1\n---\nb: [1\nc: 2\n"))
        .hasMessageStartingWith("document 2: not valid YAML: line ")
        .hasMessageNotContaining("\n");
    assertThatThrownBy(() -> YamlReader.readAll("a: 1\nb: 2\na: 3\n"))
        .hasMessage("document 1: not valid YAML: line 3, column 1: \"a\" comes twice");
    assertThatThrownBy(() -> YamlReader.readAll("a: !!python/object x"))
        .hasMessageContaining("is not supported");
  }

  /** Review R16. */
  @Test
  void nestingCannotGoOnWithoutEnd() {
    assertThatThrownBy(() -> YamlReader.readAll("a: " + "[".repeat(200_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("document 1: not valid YAML: ")
        .hasMessageNotContaining("\n");
    assertThatThrownBy(() -> YamlReader.readAll("a: " + "[".repeat(200_000) + "]".repeat(200_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nested too deep");
  }

  @Test
  void aliasesCannotGrowWithoutBound() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 12; i++) {
      bomb.append("a%d: &a%d [".formatted(i, i)).append("*a%d, ".formatted(i - 1).repeat(10));
      bomb.append("x]\n");
    }
    assertThatThrownBy(() -> YamlReader.readAll(bomb.toString())).hasMessageContaining("aliases");
  }

  @Test
  void isWrittenAsKubernetesToolsWriteIt() {
    ObjectNode document =
        JSON.parseObject(
            "{\"kind\":\"IPPool\",\"apiVersion\":\"v3\",\"metadata\":{\"name\":\"blue\",\"resourceVersion\":\"12\"},\"spec\":{\"uses\":[\"Workload\",\"Tunnel\"],\"rules\":[{\"b\":1,\"a\":[]},{}],\"note\":\"two\\n"
                + "lines\\n"
                + "\"}}");
    assertThat(YamlWriter.write(document))
        .isEqualTo(
            """
            apiVersion: v3
            kind: IPPool
            metadata:
              name: blue
              resourceVersion: "12"
            spec:
              note: |
                two
                lines
              rules:
              - a: []
                b: 1
              - {}
              uses:
              - Workload
              - Tunnel
            """);
  }

  @Test
  void whatIsWrittenIsReadAgain() {
    Seeded.forAll(
        2000,
        random -> {
          JsonNode value = value(random, 0);
          ObjectNode document = Json.object();
          document.set("v", value);
          String yaml = YamlWriter.write(document);
          assertThat(GoWriter.write(one(yaml).path("v")))
              .as(yaml)
              .isEqualTo(GoWriter.write(sorted(value)));
        });
  }

  private static JsonNode value(RandomGenerator random, int depth) {
    return switch (random.nextInt(depth > 3 ? 4 : 6)) {
      case 0, 1 -> tools.jackson.databind.node.StringNode.valueOf(text(random));
      case 2 -> JSON.parseObject("{\"n\":" + random.nextLong() + "}").path("n");
      case 3 -> JSON.parseObject("{\"n\":[true,false,null,1.25]}").path("n").get(random.nextInt(4));
      case 4 -> {
        ArrayNode array = Json.array();
        for (int i = random.nextInt(3); i > 0; i--) {
          array.add(value(random, depth + 1));
        }
        yield array;
      }
      default -> {
        ObjectNode object = Json.object();
        for (int i = random.nextInt(3); i > 0; i--) {
          object.set(text(random), value(random, depth + 1));
        }
        yield object;
      }
    };
  }

  private static String text(RandomGenerator random) {
    return TEXTS.get(random.nextInt(TEXTS.size()));
  }

  private static JsonNode sorted(JsonNode value) {
    if (value.isArray()) {
      ArrayNode array = Json.array();
      value.values().forEach(item -> array.add(sorted(item)));
      return array;
    }
    if (value.isObject()) {
      ObjectNode object = Json.object();
      value.propertyNames().stream()
          .sorted()
          .forEach(name -> object.set(name, sorted(value.path(name))));
      return object;
    }
    return value;
  }

  @Test
  void aDocumentOfTextsIsReadAsItIsWritten() {
    assertThat(
            YamlReader.readTexts(
                """
                name: on
                token: 0123_4
                since: 2026-02-03
                skip: true
                none: ~
                users:
                - name: "me"
                """))
        .isEqualTo(
            JSON.parseObject(
                """
                { "name": "on", "token": "0123_4", "since": "2026-02-03", "skip": "true",
                  "none": null, "users": [ { "name": "me" } ] }
                """));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a: [ | not valid YAML: line 1, column 5: ",
        "{a: 1, a: 2} | not valid YAML: line 1, column 8: \"a\" comes twice",
        "hello | not a map of names and values",
        "'' | not a map of names and values",
      })
  void whatIsNoDocumentOfTextsIsRefused(String text, String why) {
    assertThatThrownBy(() -> YamlReader.readTexts(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(why);
  }

  @Test
  void ofTwoDocumentsOfTextsNeitherIsTaken() {
    assertThatThrownBy(() -> YamlReader.readTexts("a: 1\n---\nb: 2\n"))
        .hasMessage("not a map of names and values");
  }
}
