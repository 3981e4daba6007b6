package io.ocicat.base.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.JsonReader.DuplicateKeys;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.node.ObjectNode;

class JsonFieldsTest {
  private static final JsonReader READER =
      new JsonReader(1 << 20, JsonReader.ANY_NUMBER_OF_TOKENS, DuplicateKeys.REFUSED);

  private enum Mode {
    BRIDGE,
    PRIVATE;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static ObjectNode json(String text) {
    return READER.parseObject(text);
  }

  private static JsonFields fields(String text) {
    return JsonFields.of(json(text));
  }

  @Test
  void readsEveryKindOfValue() {
    JsonFields in =
        fields(
            """
            { "text": "x", "yes": true, "mtu": 1500, "big": 9007199254740993,
              "u32": 4294967295, "u64": 18446744073709551615, "gateway": "10.0.0.1",
              "subnet": "10.1.2.3/24", "mac": "02:00:00:00:00:01", "mode": "private",
              "names": ["a", "b"], "ipam": { "type": "host-local" }, "routes": [ { "dst": "::/0" } ] }
            """);
    assertThat(in.text("text").required()).isEqualTo("x");
    assertThat(in.bool("yes").required()).isTrue();
    assertThat(in.integer("mtu", 0, 65535).required()).isEqualTo(1500);
    assertThat(in.longInteger("big", 0, Long.MAX_VALUE).required()).isEqualTo(9007199254740993L);
    assertThat(in.unsigned32("u32").required()).isEqualTo(4294967295L);
    assertThat(in.unsigned64("u64").required()).isEqualTo(new BigInteger("18446744073709551615"));
    assertThat(in.ip("gateway").required()).isEqualTo(IpAddress.parse("10.0.0.1"));
    assertThat(in.prefix("subnet").required()).isEqualTo(IpPrefix.parse("10.1.2.3/24"));
    assertThat(in.mac("mac").required()).isEqualTo(MacAddress.parse("02:00:00:00:00:01"));
    assertThat(in.choice("mode", Mode.values(), Mode::text).required()).isEqualTo(Mode.PRIVATE);
    assertThat(in.texts("names").required()).containsExactly("a", "b");
    assertThat(in.object("ipam").text("type").required()).isEqualTo("host-local");
    assertThat(in.objects("routes")).hasSize(1);
    assertThat(in.problems().isEmpty()).isTrue();
    assertThat(in.rest()).isEmpty();
  }

  static List<Arguments> mistakes() {
    return List.of(
        mistake("{\"f\":5}", in -> in.text("f"), "f must be a string, not 5"),
        mistake("{\"f\":{}}", in -> in.text("f"), "f must be a string, not an object"),
        mistake("{\"f\":\"yes\"}", in -> in.bool("f"), "f must be true or false, not \"yes\""),
        mistake(
            "{\"f\":\"1500\"}",
            in -> in.integer("f", 0, 65535),
            "f must be a whole number 0–65535, not \"1500\""),
        mistake(
            "{\"f\":70000}",
            in -> in.integer("f", 0, 65535),
            "f must be a whole number 0–65535, not 70000"),
        mistake(
            "{\"f\":1.5}",
            in -> in.integer("f", 0, 65535),
            "f must be a whole number 0–65535, not 1.5"),
        mistake(
            "{\"f\":1e3}",
            in -> in.integer("f", 0, 65535),
            "f must be a whole number 0–65535, not 1E+3"),
        mistake(
            "{\"f\":9223372036854775808}",
            in -> in.longInteger("f", -5, Long.MAX_VALUE),
            "f must be a whole number -5–9223372036854775807, not 9223372036854775808"),
        mistake(
            "{\"f\":4294967296}",
            in -> in.unsigned32("f"),
            "f must be a whole number 0–4294967295, not 4294967296"),
        mistake(
            "{\"f\":-1}",
            in -> in.unsigned64("f"),
            "f must be a whole number 0–18446744073709551615, not -1"),
        mistake(
            "{\"f\":\"10.0.0\"}",
            in -> in.ip("f"),
            "f \"10.0.0\" is not an IP address: expected four numbers, as in 10.0.0.1"),
        mistake("{\"f\":5}", in -> in.ip("f"), "f must be a string, not 5"),
        mistake(
            "{\"f\":\"10.1.0.0/33\"}",
            in -> in.prefix("f"),
            "f \"10.1.0.0/33\" is not a CIDR: prefix length must be 0–32"),
        mistake(
            "{\"f\":\"\"}", in -> in.prefix("f"), "f \"\" is not a CIDR: it has no /prefix-length"),
        mistake(
            "{\"f\":\"02:00\"}",
            in -> in.mac("f"),
            "f \"02:00\" is not a MAC address: expected six bytes, as in 02:00:5e:10:00:01"),
        mistake(
            "{\"f\":\"Bridge\"}",
            in -> in.choice("f", Mode.values(), Mode::text),
            "f must be one of \"bridge\", \"private\", not \"Bridge\""),
        mistake("{\"f\":\"a\"}", in -> in.texts("f"), "f must be a list, not \"a\""),
        mistake("{\"f\":[\"a\",7]}", in -> in.texts("f"), "f[1] must be a string, not 7"),
        mistake("{\"f\":[null]}", in -> in.texts("f"), "f[0] is missing"),
        mistake("{\"f\":[]}", in -> in.object("f"), "f must be an object, not a list"),
        mistake("{\"f\":[{},7]}", in -> in.objects("f"), "f[1] must be an object, not 7"),
        mistake("{\"f\":[null]}", in -> in.objects("f"), "f[0] must be an object, not null"),
        mistake(
            "{\"f\":\"\"}",
            in -> in.text("f").check(s -> !s.isEmpty(), "must not be empty"),
            "f must not be empty"),
        mistake("{}", in -> in.text("f").required(), "f is missing"),
        mistake("{\"f\":null}", in -> in.ip("f").required(), "f is missing"),
        mistake("{\"f\":\"\"}", in -> in.ip("f").required(), "f is missing"),
        mistake("{\"f\":\"\"}", in -> in.mac("f").required(), "f is missing"),
        mistake("{\"f\":5}", in -> in.text("f").required(), "f must be a string, not 5"));
  }

  private static Arguments mistake(
      String document, Function<JsonFields, Object> read, String problem) {
    return Arguments.of(document, read, problem);
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void namesPathValueAndWhatIsAllowed(
      String document, Function<JsonFields, Object> read, String problem) {
    assertThatThrownBy(() -> JsonFields.read(json(document), read))
        .isInstanceOf(InvalidFieldsException.class)
        .hasMessage(problem);
  }

  @Test
  void reportsEveryBadFieldAtOnce() {
    ObjectNode document = json("{\"bridge\":5,\"mtu\":-1,\"ipam\":{\"subnet\":\"x\"}}");
    assertThatThrownBy(
            () ->
                JsonFields.read(
                    document,
                    in ->
                        in.text("bridge").or("cni0")
                            + in.integer("mtu", 0, 9000).or(0)
                            + in.object("ipam").prefix("subnet").required()))
        .isInstanceOfSatisfying(
            InvalidFieldsException.class,
            e -> {
              assertThat(e.summary()).isEqualTo("invalid configuration: 3 problems");
              assertThat(e.details())
                  .isEqualTo(
                      "bridge must be a string, not 5; mtu must be a whole number 0–9000, not -1;"
                          + " ipam.subnet \"x\" is not a CIDR: it has no /prefix-length");
            });
  }

  @Test
  void aConstructorThatTripsOverAPlaceholderDoesNotHideTheBadField() {
    assertThatThrownBy(
            () ->
                JsonFields.read(
                    json("{\"port\":\"x\"}"),
                    in -> {
                      if (in.integer("port", 1, 9).required() == 0) {
                        throw new IllegalArgumentException("port 0");
                      }
                      return 1;
                    }))
        .hasMessage("port must be a whole number 1–9, not \"x\"");
    assertThatThrownBy(
            () ->
                JsonFields.read(
                    json("{}"),
                    in -> {
                      throw new IllegalArgumentException("of its own");
                    }))
        .hasMessage("of its own");
  }

  @Test
  void namesThePathThroughListsOfLists() {
    JsonFields in =
        fields(
            "{\"ipam\":{\"ranges\":[[{\"subnet\":\"10.0.0.0/8\"},{\"subnet\":\"10.1.0.0/33\"}]]}}");
    for (JsonValue set : in.object("ipam").value("ranges").items()) {
      for (JsonFields range : set.objects()) {
        range.prefix("subnet").required();
      }
    }
    assertThat(in.problems().all())
        .containsExactly(
            "ipam.ranges[0][1].subnet \"10.1.0.0/33\" is not a CIDR: prefix length must be 0–32");
  }

  @Test
  void quotesOddNamesInPaths() {
    JsonFields in = fields("{\"capabilities\":{\"io.k8s/x\":1}}");
    in.object("capabilities").bool("io.k8s/x").or(false);
    assertThat(in.problems().describe())
        .isEqualTo("capabilities[\"io.k8s/x\"] must be true or false, not 1");
  }

  @Test
  void matchesNamesRegardlessOfCaseButExactlyFirst() {
    assertThat(fields("{\"isgateway\":true}").bool("isGateway").or(false)).isTrue();
    assertThat(fields("{\"BRIDGE\":\"a\",\"bridge\":\"b\"}").text("bridge").or("")).isEqualTo("b");
    assertThat(fields("{\"BRIDGE\":\"a\",\"bridge\":null}").text("bridge").or("c")).isEqualTo("c");
  }

  @Test
  void countsNullAndEmptyAddressesAsAbsent() {
    JsonFields in = fields("{\"a\":null,\"b\":\"\",\"o\":null,\"l\":null}");
    assertThat(in.text("a").optional()).isEmpty();
    assertThat(in.has("a")).isFalse();
    assertThat(in.ip("b").orNull()).isNull();
    assertThat(in.mac("b").optional()).isEmpty();
    assertThat(in.choice("b", Mode.values(), Mode::text).or(Mode.PRIVATE)).isEqualTo(Mode.PRIVATE);
    assertThat(in.object("o").names()).isEmpty();
    assertThat(in.objects("l")).isEmpty();
    assertThat(in.texts("l").optional()).isEmpty();
    assertThat(in.problems().isEmpty()).isTrue();
  }

  @Test
  void readsMappedAddressesAsIpv4() {
    JsonFields in =
        fields(
            "{\"ip\":\"::ffff:10.0.0.1\",\"net\":\"::ffff:10.0.0.1/120\",\"all\":\"::ffff:0:0/90\"}");
    assertThat(in.ip("ip").required()).hasToString("10.0.0.1");
    assertThat(in.prefix("net").required()).hasToString("10.0.0.1/24");
    assertThat(in.prefix("all").required().isV6()).isTrue();
  }

  @Test
  void tellsWhichMembersNobodyAskedFor() {
    JsonFields in = fields("{\"Known\":1,\"new\":{\"x\":1},\"nothing\":null}");
    in.integer("known", 0, 9).or(0);
    assertThat(in.rest()).containsOnlyKeys("new", "nothing");
  }

  @Test
  void boundsTheNumberOfProblems() {
    JsonFields in = fields("{\"l\":[" + "1,".repeat(500) + "1]}");
    in.texts("l").or(List.of());
    assertThat(in.problems().describe()).endsWith("; l[49] must be a string, not 1; and 451 more");
    assertThatThrownBy(in.problems()::throwIfAny)
        .hasMessageStartingWith("invalid configuration: 501 problems; l[0] must");
  }

  @Test
  void theSameProblemCountsOnce() {
    JsonFields in = fields("{\"ipam\":5}");
    in.object("ipam").text("a").or("");
    in.object("ipam").text("b").or("");
    assertThat(in.problems().all()).containsExactly("ipam must be an object, not 5");
  }
}
