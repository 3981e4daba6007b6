package io.ocicat.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import io.ocicat.cni.SpecVersion.Family;
import io.ocicat.testkit.Seeded;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ResultConversionTest {
  private static final List<SpecVersion> VERSIONS = Arrays.asList(SpecVersion.values());

  /** One network seen by the three families; "V" stands for the version. */
  private static final String NEW =
      """
      {"cniVersion":"V",\
      "interfaces":[{"name":"eth0","mac":"02:00:00:00:00:02","sandbox":"/ns","x":1}],\
      "ips":[{"interface":0,"address":"10.77.0.4/16","gateway":"10.77.0.1","y":2},\
      {"address":"fd00::4/64"}],\
      "routes":[{"dst":"0.0.0.0/0","gw":"10.77.0.1"},{"dst":"2001:db8::/32","gw":"fe80::1","z":3}],\
      "dns":{"nameservers":["10.0.0.53"]},"w":4}""";

  private static final String MIDDLE =
      NEW.replace("\"interface\":0", "\"version\":\"4\",\"interface\":0")
          .replace("{\"address\":\"fd00", "{\"version\":\"6\",\"address\":\"fd00");

  private static final String OLD =
      """
      {"cniVersion":"V",\
      "ip4":{"ip":"10.77.0.4/16","gateway":"10.77.0.1","routes":[{"dst":"0.0.0.0/0","gw":"10.77.0.1"}],"y":2},\
      "ip6":{"ip":"fd00::4/64","routes":[{"dst":"2001:db8::/32","gw":"fe80::1","z":3}]},\
      "dns":{"nameservers":["10.0.0.53"]},"w":4}""";

  /** What comes back from the oldest family: no interfaces. */
  private static final String FROM_OLD_NEW =
      NEW.replaceFirst("\"interfaces\":\\[.*?\\],", "").replace("\"interface\":0,", "");

  private static final String FROM_OLD_MIDDLE =
      MIDDLE.replaceFirst("\"interfaces\":\\[.*?\\],", "").replace("\"interface\":0,", "");

  private static String document(Family family) {
    return switch (family) {
      case V0_2 -> OLD;
      case V0_4 -> MIDDLE;
      case V1 -> NEW;
    };
  }

  static List<Arguments> allPairs() {
    List<Arguments> pairs = new ArrayList<>();
    for (SpecVersion from : VERSIONS) {
      for (SpecVersion to : VERSIONS) {
        String expected =
            from.family() != Family.V0_2
                ? document(to.family())
                : switch (to.family()) {
                  case V0_2 -> OLD;
                  case V0_4 -> FROM_OLD_MIDDLE;
                  case V1 -> FROM_OLD_NEW;
                };
        pairs.add(Arguments.of(from, to, expected.replace("\"V\"", "\"" + to + "\"")));
      }
    }
    return pairs;
  }

  @ParameterizedTest
  @MethodSource("allPairs")
  void convertsEveryVersionToEveryOther(SpecVersion from, SpecVersion to, String expected) {
    String document = document(from.family()).replace("\"V\"", "\"" + from + "\"");
    Result result = Result.parse(CniJson.parse(document), from);
    assertThat(Json.compact(result.toJson())).isEqualTo(document);
    assertThat(Json.compact(result.toJson(to))).isEqualTo(expected);
  }

  @Test
  void theSameVersionIsTheSameObject() {
    Result result = Result.empty(SpecVersion.V0_4_0);
    assertThat(result.convertTo(SpecVersion.V0_4_0)).isSameAs(result);
  }

  @Test
  void olderFamiliesLoseWhatTheyHaveNoWordsFor() {
    Result result =
        Result.parse(
            CniJson.parse(
                """
                { "cniVersion": "1.1.0",
                  "interfaces": [ { "name": "eth0", "mtu": 1450, "socketPath": "/s", "pciID": "0:1", "sandbox": "/ns" } ],
                  "ips": [ { "interface": 0, "address": "10.77.0.4/16", "gateway": "10.77.0.1" },
                           { "interface": 0, "address": "10.78.0.4/16" } ],
                  "routes": [ { "dst": "0.0.0.0/0", "priority": 5, "mtu": 1, "advmss": 1, "table": 0, "scope": 0 },
                              { "dst": "2001:db8::/32", "gw": "fe80::1" } ] }
                """),
            SpecVersion.LATEST);
    assertThat(Json.compact(result.toJson(SpecVersion.V0_4_0)))
        .isEqualTo(
            """
            {"cniVersion":"0.4.0","interfaces":[{"name":"eth0","sandbox":"/ns"}],\
            "ips":[{"version":"4","interface":0,"address":"10.77.0.4/16","gateway":"10.77.0.1"},\
            {"version":"4","interface":0,"address":"10.78.0.4/16"}],\
            "routes":[{"dst":"0.0.0.0/0"},{"dst":"2001:db8::/32","gw":"fe80::1"}],"dns":{}}""");
    assertThat(Json.compact(result.toJson(SpecVersion.V0_2_0)))
        .isEqualTo(
            """
            {"cniVersion":"0.2.0","ip4":{"ip":"10.77.0.4/16","gateway":"10.77.0.1",\
            "routes":[{"dst":"0.0.0.0/0"}]},"dns":{}}""");
    assertThat(result.convertTo(SpecVersion.V1_0_0).convertTo(SpecVersion.V1_1_0))
        .isEqualTo(result);
  }

  @Test
  void routeAttributesInAnOldDocumentSurviveWithinItsFamilyAndUpwards() {
    String document =
        "{\"cniVersion\":\"0.4.0\",\"routes\":[{\"dst\":\"::/0\",\"mtu\":1400}],\"dns\":{}}";
    Result result = Result.parse(CniJson.parse(document), SpecVersion.LATEST);
    assertThat(Json.compact(result.toJson(SpecVersion.V0_4_0))).isEqualTo(document);
    assertThat(Json.compact(result.toJson(SpecVersion.V1_1_0))).contains("\"mtu\":1400");
  }

  @Test
  void refusesTheOldestFamilyWithoutAnAddress() {
    for (Result result :
        List.of(
            Result.empty(),
            Result.empty(SpecVersion.V0_4_0),
            Result.parse(CniJson.parse("{\"ips\":[null]}"), SpecVersion.LATEST))) {
      assertThatThrownBy(() -> result.convertTo(SpecVersion.V0_1_0))
          .isInstanceOf(CniException.class)
          .hasMessageStartingWith("cannot convert: no valid IP addresses");
    }
    assertThat(Result.empty(SpecVersion.V0_1_0).convertTo(SpecVersion.V0_4_0).ips()).isEmpty();
  }

  @Test
  void nullListElementsKeepTheirSlotsBetweenListsAndAreSkippedInTheOldestFamily() {
    Result result =
        Result.parse(
            CniJson.parse("{\"interfaces\":[null],\"ips\":[null,{\"address\":\"10.0.0.1/8\"}]}"),
            SpecVersion.LATEST);
    assertThat(Json.compact(result.toJson(SpecVersion.V0_3_0)))
        .contains("\"interfaces\":[null]")
        .contains("\"ips\":[null,{");
    assertThat(result.convertTo(SpecVersion.V0_3_0).convertTo(SpecVersion.V1_1_0))
        .isEqualTo(result);
    assertThat(Json.compact(result.toJson(SpecVersion.V0_2_0)))
        .isEqualTo("{\"cniVersion\":\"0.2.0\",\"ip4\":{\"ip\":\"10.0.0.1/8\"},\"dns\":{}}");
  }

  @Test
  void unknownMembersDoNotTurnIntoKnownOnesElsewhere() {
    Result result =
        Result.parse(
            CniJson.parse(
                """
                {"cniVersion":"0.2.0","ip4":{"ip":"10.0.0.1/8","interface":7,"version":"6"},"ips":"strange"}
                """),
            SpecVersion.LATEST);
    assertThat(Json.compact(result.toJson(SpecVersion.V1_1_0)))
        .isEqualTo("{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.0.0.1/8\"}]}");
    assertThat(Json.compact(result.toJson(SpecVersion.V0_2_0))).contains("\"strange\"");
  }

  @Test
  void everyConversionOfAnyResultIsReadBackEqual() {
    Seeded.forAll(
        500,
        random -> {
          Result newest = new RandomResults(random).result();
          for (SpecVersion from : VERSIONS) {
            Optional<Result> source = convert(newest, from);
            for (SpecVersion to : VERSIONS) {
              source
                  .flatMap(result -> convert(result, to))
                  .ifPresent(
                      result -> {
                        assertThat(result.version()).isEqualTo(to);
                        assertThat(Result.parse(Json.compactBytes(result.toJson()), from))
                            .isEqualTo(result);
                      });
            }
          }
        });
  }

  @Test
  void goingThereAndBackChangesNothingMoreThanGoingThere() {
    Seeded.forAll(
        500,
        random -> {
          Result newest = new RandomResults(random).result();
          for (SpecVersion low : VERSIONS) {
            for (SpecVersion high : VERSIONS) {
              if (high.isAtLeast(low)) {
                convert(newest, low)
                    .ifPresent(
                        result ->
                            assertThat(result.convertTo(high).convertTo(low)).isEqualTo(result));
              }
            }
          }
        });
  }

  @Test
  void theWayDownDoesNotMatter() {
    Seeded.forAll(
        500,
        random -> {
          Result newest = new RandomResults(random).result();
          for (SpecVersion low : VERSIONS) {
            for (SpecVersion between : VERSIONS) {
              if (between.isAtLeast(low)) {
                assertThat(convert(newest, between).flatMap(result -> convert(result, low)))
                    .isEqualTo(convert(newest, low));
              }
            }
          }
        });
  }

  /**
   * Empty when the oldest family is requested and there is no address; then the conversion must
   * fail.
   */
  private static Optional<Result> convert(Result result, SpecVersion to) {
    if (to.family() == Family.V0_2
        && result.ips().isEmpty()
        && result.version().family() != to.family()) {
      assertThatThrownBy(() -> result.convertTo(to)).isInstanceOf(CniException.class);
      return Optional.empty();
    }
    return Optional.of(result.convertTo(to));
  }
}
