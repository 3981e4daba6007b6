package io.ocicat.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResultTest {
  private static Result parse(String text) {
    return Result.parse(CniJson.parse(text), SpecVersion.V1_1_0);
  }

  private static String compact(Result result) {
    return Json.compact(result.toJson());
  }

  @Test
  void encodesTheFirstTwoVersions() {
    String document =
        """
        {"cniVersion":"0.2.0",\
        "ip4":{"ip":"192.0.2.7/24","gateway":"192.0.2.1","routes":[{"dst":"0.0.0.0/0","gw":"192.0.2.1"}]},\
        "ip6":{"ip":"2001:db8::7/64","gateway":"2001:db8::1","routes":[{"dst":"::/0"}]},\
        "dns":{"nameservers":["192.0.2.53"],"domain":"lab.example","search":["lab.example"],"options":["ndots:2"]}}\
        """;
    assertThat(compact(parse(document))).isEqualTo(document);
    assertThat(Json.compact(parse(document).toJson(SpecVersion.V0_1_0)))
        .isEqualTo(document.replace("0.2.0", "0.1.0"));
  }

  @Test
  void encodesTheMiddleVersions() {
    String document =
        """
        {"cniVersion":"0.4.0",\
        "interfaces":[{"name":"vethA1","mac":"02:00:00:00:00:01"},\
        {"name":"eth0","mac":"02:00:00:00:00:02","sandbox":"/run/netns/blue"}],\
        "ips":[{"version":"4","interface":1,"address":"192.0.2.7/24","gateway":"192.0.2.1"}],\
        "routes":[{"dst":"0.0.0.0/0","gw":"192.0.2.1"}],"dns":{}}\
        """;
    assertThat(compact(parse(document))).isEqualTo(document);
  }

  @Test
  void encodesTheNewestVersionWithEveryMember() {
    String document =
        """
        {"cniVersion":"1.1.0",\
        "interfaces":[{"name":"eth0","mac":"02:00:00:00:00:02","mtu":1450,"sandbox":"/run/netns/blue",\
        "socketPath":"/run/vhost/eth0.sock","pciID":"0000:3b:02.1"}],\
        "ips":[{"interface":0,"address":"192.0.2.7/24","gateway":"192.0.2.1"}],\
        "routes":[{"dst":"198.51.100.0/24","gw":"192.0.2.1","mtu":1400,"advmss":1360,"priority":50,"table":100,"scope":0}],\
        "dns":{"nameservers":["192.0.2.53"]}}\
        """;
    assertThat(compact(parse(document))).isEqualTo(document);
  }

  @Test
  void omitsWhatIsEmptyInTheNewestVersions() {
    assertThat(compact(Result.empty())).isEqualTo("{\"cniVersion\":\"1.1.0\"}");
    assertThat(compact(Result.empty(SpecVersion.V0_4_0)))
        .isEqualTo("{\"cniVersion\":\"0.4.0\",\"dns\":{}}");
    assertThat(compact(Result.empty(SpecVersion.V0_1_0)))
        .isEqualTo("{\"cniVersion\":\"0.1.0\",\"dns\":{}}");
  }

  @Test
  void keepsARouteOfTheOtherFamilyWhereAPluginOfTheFirstVersionsPutIt() {
    String document =
        """
        {"cniVersion":"0.2.0","ip4":{"ip":"10.0.0.1/8","routes":[{"dst":"::/0"}]},"dns":{}}\
        """;
    assertThat(compact(parse(document))).isEqualTo(document);
  }

  @Test
  void tellsZeroFromAbsent() {
    Result result =
        parse(
            """
            {"ips":[{"address":"10.0.0.1/8"},{"interface":0,"address":"10.0.0.2/8"},
                    {"interface":-1,"address":"10.0.0.3/8"}],
             "routes":[{"dst":"::/0"},{"dst":"::/0","table":0,"scope":0}]}
            """);
    assertThat(result.ips()).extracting(IpConfig::interfaceIndex).containsExactly(null, 0, -1);
    assertThat(result.routes()).extracting(Route::table).containsExactly(null, 0L);
    assertThat(result.routes()).extracting(Route::scope).containsExactly(null, 0);
    assertThat(compact(result))
        .contains("{\"dst\":\"::/0\"},{\"dst\":\"::/0\",\"table\":0,\"scope\":0}")
        .contains("{\"address\":\"10.0.0.1/8\"},{\"interface\":0,")
        .contains("{\"interface\":-1,");
  }

  @Test
  void keepsHostBitsAlsoInRouteDestinations() {
    Result result =
        parse("{\"ips\":[{\"address\":\"10.1.2.3/24\"}],\"routes\":[{\"dst\":\"10.1.2.3/16\"}]}");
    assertThat(compact(result)).contains("10.1.2.3/24").contains("10.1.2.3/16");
  }

  @Test
  void keepsUnknownMembersOnEveryObject() {
    String document =
        """
        {"cniVersion":"1.1.0",\
        "interfaces":[{"name":"eth0","metadata":{"a":1}}],\
        "ips":[{"address":"10.0.0.1/8","lease":9007199254740993}],\
        "routes":[{"dst":"::/0","gws":["fe80::1"]}],\
        "dns":{"nameservers":["1.1.1.1"],"port":53},\
        "vendor":null,"x":1.10}\
        """;
    assertThat(compact(parse(document))).isEqualTo(document);
  }

  @Test
  void keepsNullSlotsOfInterfacesAndIps() {
    String document =
        """
        {"cniVersion":"1.1.0","interfaces":[null,{"name":"eth0"}],\
        "ips":[{"interface":1,"address":"10.0.0.1/8"},null]}\
        """;
    Result result = parse(document);
    assertThat(compact(result)).isEqualTo(document);
    assertThat(result.interfaces()).extracting(Interface::name).containsExactly("eth0");
    assertThat(result.ips()).hasSize(1);
    assertThat(result.interfaceOf(result.ips().getFirst()).orElseThrow().name()).isEqualTo("eth0");
    assertThat(result.indexOf(i -> i.name().equals("eth0"))).hasValue(1);
    assertThat(compact(result.mapInterfaces(i -> i.withMtu(9000)).mapIps(ip -> ip.onInterface(7))))
        .contains("[null,{\"name\":\"eth0\",\"mtu\":9000}]")
        .contains("[{\"interface\":7,\"address\":\"10.0.0.1/8\"},null]");
  }

  @Test
  void readsMembersInAnyCaseOfLettersAsGoDoes() {
    Result result =
        parse(
            "{\"CNIVersion\":\"0.4.0\",\"IPs\":[{\"Address\":\"10.0.0.1/8\",\"VERSION\":\"4\"}]}");
    assertThat(compact(result))
        .isEqualTo(
            "{\"cniVersion\":\"0.4.0\",\"ips\":[{\"version\":\"4\",\"address\":\"10.0.0.1/8\"}],\"dns\":{}}");
  }

  @Test
  void printsMappedAddressesAsIpv4() {
    Result result =
        parse("{\"ips\":[{\"address\":\"::ffff:10.0.0.1/104\",\"gateway\":\"::ffff:10.0.0.2\"}]}");
    assertThat(Json.compact(result.toJson(SpecVersion.V0_3_1)))
        .contains("{\"version\":\"4\",\"address\":\"10.0.0.1/8\",\"gateway\":\"10.0.0.2\"}");
  }

  @Test
  void acceptsTheNameIpForTheListOf030Only() {
    String ip = "\"ip\":[{\"version\":\"4\",\"address\":\"10.0.0.1/8\"}]";
    assertThat(parse("{\"cniVersion\":\"0.3.0\"," + ip + "}").ips()).hasSize(1);
    assertThat(parse("{\"cniVersion\":\"0.3.1\"," + ip + "}").ips()).isEmpty();
    assertThat(compact(parse("{\"cniVersion\":\"0.3.0\"," + ip + "}"))).contains("\"ips\":[");
  }

  @Test
  void derivesTheVersionOfAnAddressFromTheAddress() {
    Result result =
        parse(
            """
            {"cniVersion":"0.4.0","ips":[{"version":"","address":"10.0.0.1/8"},{"version":"4","address":"fd00::1/8"}]}
            """);
    assertThat(compact(result))
        .contains("{\"version\":\"4\",\"address\":\"10.0.0.1/8\"}")
        .contains("{\"version\":\"6\",\"address\":\"fd00::1/8\"}");
    assertThat(Json.compact(result.toJson(SpecVersion.V1_0_0))).doesNotContain("version\":\"4");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"cniVersion\":\"0.3.1\"}|V1_1_0|V0_3_1",
        "{}|V0_4_0|V0_4_0",
        "{\"cniVersion\":\"\"}|V0_4_0|V0_4_0",
        "{\"cniVersion\":5}|V1_0_0|V1_0_0",
        "{\"cniVersion\":null}|V0_1_0|V0_1_0",
        "null|V1_0_0|V1_0_0",
      })
  void aResultWithoutVersionHasTheOneItWasAskedFor(
      String document, SpecVersion requested, SpecVersion version) {
    Result result = Result.parse(document.getBytes(StandardCharsets.UTF_8), requested);
    assertThat(result.version()).isEqualTo(version);
  }

  @Test
  void refusesVersionsNobodyKnows() {
    assertThatThrownBy(() -> parse("{\"cniVersion\":\"0.4567.0\"}"))
        .isInstanceOfSatisfying(
            CniException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INCOMPATIBLE_VERSION))
        .hasMessage("unsupported CNI result version \"0.4567.0\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[]|failed to unmarshal raw result: the document must be an object, not a list",
        "{|failed to unmarshal raw result: not valid JSON: line 1, column 2",
        "{\"ips\":[{}]}|invalid result: ips[0].address is missing",
        "{\"ips\":[{\"address\":null}]}|invalid result: ips[0].address is missing",
        "{\"ips\":[{\"address\":\"10.0.0.1\"}]}|invalid result: ips[0].address \"10.0.0.1\" is not"
            + " a CIDR",
        "{\"ips\":[{\"address\":\"10.0.0.1/99\"}]}|invalid result: ips[0].address \"10.0.0.1/99\""
            + " is not a CIDR: prefix length must be 0–32",
        "{\"ips\":[{\"address\":5}]}|invalid result: ips[0].address must be a string, not 5",
        "{\"ips\":[5]}|invalid result: ips[0] must be an object, not 5",
        "{\"ips\":{}}|invalid result: ips must be a list, not an object",
        "{\"ips\":[{\"address\":\"::/0\",\"gateway\":\"x\"}]}|invalid result: ips[0].gateway \"x\""
            + " is not an IP address",
        "{\"ips\":[{\"address\":\"::/0\",\"interface\":\"0\"}]}|invalid result: ips[0].interface"
            + " must be a whole number",
        "{\"interfaces\":\"eth0\"}|invalid result: interfaces must be a list, not \"eth0\"",
        "{\"interfaces\":[{\"name\":1}]}|invalid result: interfaces[0].name must be a string, not"
            + " 1",
        "{\"interfaces\":[{\"mac\":1}]}|invalid result: interfaces[0].mac must be a string, not 1",
        "{\"interfaces\":[{\"sandbox\":1}]}|invalid result: interfaces[0].sandbox must be a string,"
            + " not 1",
        "{\"interfaces\":[{\"socketPath\":1}]}|invalid result: interfaces[0].socketPath must be a"
            + " string, not 1",
        "{\"interfaces\":[{\"pciID\":1}]}|invalid result: interfaces[0].pciID must be a string, not"
            + " 1",
        "{\"interfaces\":[{\"mtu\":-1}]}|invalid result: interfaces[0].mtu must be a whole number"
            + " 0–2147483647, not -1",
        "{\"routes\":[{}]}|invalid result: routes[0].dst is missing",
        "{\"routes\":[null]}|invalid result: routes[0] must be an object, not null",
        "{\"routes\":[{\"dst\":\"::/0\",\"gw\":\"10.0.0.0.1\"}]}|invalid result: routes[0].gw"
            + " \"10.0.0.0.1\" is not an IP address",
        "{\"routes\":[{\"dst\":\"::/0\",\"mtu\":\"1\"}]}|invalid result: routes[0].mtu must be a"
            + " whole number",
        "{\"routes\":[{\"dst\":\"::/0\",\"advmss\":1.5}]}|invalid result: routes[0].advmss must be"
            + " a whole number",
        "{\"routes\":[{\"dst\":\"::/0\",\"priority\":4294967296}]}|invalid result:"
            + " routes[0].priority must be a whole number 0–4294967295",
        "{\"routes\":[{\"dst\":\"::/0\",\"table\":-1}]}|invalid result: routes[0].table must be a"
            + " whole number 0–4294967295, not -1",
        "{\"routes\":[{\"dst\":\"::/0\",\"scope\":256}]}|invalid result: routes[0].scope must be a"
            + " whole number 0–255, not 256",
        "{\"dns\":[]}|invalid result: dns must be an object, not a list",
        "{\"dns\":{\"nameservers\":\"1.1.1.1\"}}|invalid result: dns.nameservers must be a list,"
            + " not \"1.1.1.1\"",
        "{\"dns\":{\"domain\":1}}|invalid result: dns.domain must be a string, not 1",
        "{\"dns\":{\"search\":[1]}}|invalid result: dns.search[0] must be a string, not 1",
        "{\"dns\":{\"options\":{}}}|invalid result: dns.options must be a list, not an object",
        "{\"cniVersion\":\"0.2.0\",\"ip4\":{}}|invalid result: ip4.ip is missing",
        "{\"cniVersion\":\"0.2.0\",\"ip4\":5}|invalid result: ip4 must be an object, not 5",
        "{\"cniVersion\":\"0.2.0\",\"ip4\":{\"ip\":\"fd00::1/64\"}}|invalid result: ip4.ip must be"
            + " an IPv4 address",
        "{\"cniVersion\":\"0.1.0\",\"ip6\":{\"ip\":\"10.0.0.1/8\"}}|invalid result: ip6.ip must be"
            + " an IPv6 address",
        "{\"cniVersion\":\"0.2.0\",\"ip4\":{\"ip\":\"10.0.0.1/8\",\"routes\":[{}]}}|invalid result:"
            + " ip4.routes[0].dst is missing",
      })
  void refusesWrongMembersWithTheirPath(String document, String message) {
    assertThatThrownBy(
            () -> Result.parse(document.getBytes(StandardCharsets.UTF_8), SpecVersion.V1_1_0))
        .isInstanceOfSatisfying(
            CniException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DECODING_FAILURE))
        .hasMessageStartingWith(message);
  }

  @Test
  void prevResultMustBeOfTheFamilyOfTheConfiguration() {
    assertThat(
            Result.parsePrevious(CniJson.parse("{\"cniVersion\":\"0.3.0\"}"), SpecVersion.V0_4_0)
                .version())
        .isEqualTo(SpecVersion.V0_3_0);
    assertThat(
            Result.parsePrevious(CniJson.parse("{\"cniVersion\":\"\"}"), SpecVersion.V0_4_0)
                .version())
        .isEqualTo(SpecVersion.V0_4_0);
    assertThatThrownBy(
            () ->
                Result.parsePrevious(
                    CniJson.parse("{\"cniVersion\":\"0.4.0\"}"), SpecVersion.LATEST))
        .hasMessage(
            "could not parse prevResult: result type supports [1.0.0 1.1.0] but unmarshalled"
                + " CNIVersion is \"0.4.0\"");
    assertThatThrownBy(
            () -> Result.parsePrevious(CniJson.parse("{\"cniVersion\":\"x\"}"), SpecVersion.V0_2_0))
        .hasMessage(
            "could not parse prevResult: result type supports [ 0.1.0 0.2.0] but unmarshalled"
                + " CNIVersion is \"x\"");
    assertThatThrownBy(
            () -> Result.parsePrevious(CniJson.parse("{\"ips\":[{}]}"), SpecVersion.V0_3_1))
        .hasMessage("could not parse prevResult: ips[0].address is missing");
  }

  @Test
  void readsWellWhenAPluginBuildsIt() {
    Result result =
        Result.empty()
            .withInterface(Interface.onHost("cni0"))
            .withInterface(
                Interface.inSandbox("eth0", "/run/netns/blue")
                    .withMac(MacAddress.parse("02:00:00:00:00:02"))
                    .withMtu(1450))
            .withIp(
                IpConfig.of(IpPrefix.parse("10.77.0.4/16"))
                    .withGateway(IpAddress.parse("10.77.0.1"))
                    .onInterface(1))
            .withRoute(Route.to(IpPrefix.parse("0.0.0.0/0")).via(IpAddress.parse("10.77.0.1")))
            .withDns(new Dns(List.of("10.0.0.53"), "", List.of(), List.of()));
    assertThat(compact(result))
        .isEqualTo(
            """
            {"cniVersion":"1.1.0","interfaces":[{"name":"cni0"},\
            {"name":"eth0","mac":"02:00:00:00:00:02","mtu":1450,"sandbox":"/run/netns/blue"}],\
            "ips":[{"interface":1,"address":"10.77.0.4/16","gateway":"10.77.0.1"}],\
            "routes":[{"dst":"0.0.0.0/0","gw":"10.77.0.1"}],"dns":{"nameservers":["10.0.0.53"]}}\
            """);
    assertThat(result.interfaces().getFirst().isOnHost()).isTrue();
    assertThat(result.interfaces().getLast().macAddress()).isPresent();
    assertThat(result.interfaceOf(IpConfig.of(IpPrefix.parse("::/0")).onInterface(9))).isEmpty();
  }

  @Test
  void isImmutable() {
    Result result = parse("{\"x\":{\"y\":1}}");
    result.toJson().withObject("/x").put("y", 2);
    assertThat(compact(result)).contains("{\"y\":1}");
    assertThatThrownBy(() -> result.unknown().put("z", Json.object()))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(new Dns(List.of(), "", List.of(), List.of(), Map.of()).isEmpty()).isTrue();
  }
}
