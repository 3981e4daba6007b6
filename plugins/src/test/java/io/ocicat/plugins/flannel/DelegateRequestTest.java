package io.ocicat.plugins.flannel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.ip.IpPrefix;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class DelegateRequestTest {
  private static final SubnetEnv V4 = env(true, "10.50.0.0/16", "10.50.7.0/24");

  @Test
  void isByteForByteWhatTheOriginalWrites() {
    assertThat(
            text(
                "{\"cniVersion\":\"1.0.0\",\"name\":\"podnet\",\"type\":\"flannel\","
                    + "\"delegate\":{\"hairpinMode\":true}}",
                V4))
        .isEqualTo(
            "{\"cniVersion\":\"1.0.0\",\"hairpinMode\":true,\"ipMasq\":false,\"ipam\":{\"ranges\":"
                + "[[{\"subnet\":\"10.50.7.0/24\"}]],\"routes\":[{\"dst\":\"10.50.0.0/16\"}],\"type\":"
                + "\"host-local\"},\"isGateway\":true,\"mtu\":1450,\"name\":\"podnet\",\"type\":\"bridge\"}");
  }

  /** The configuration of the stock manifest, with a typical subnet file. */
  @Test
  void theStockConfigurationIsBridgeWithHostLocal() {
    JsonNode request =
        CniJson.parse(
            text(
                "{\"name\":\"cbr0\",\"cniVersion\":\"0.3.1\",\"type\":\"flannel\",\"delegate\":"
                    + "{\"hairpinMode\":true,\"isDefaultGateway\":true}}",
                env(true, "10.42.0.0/16", "10.42.9.0/24")));
    assertThat(request)
        .isEqualTo(
            CniJson.parse(
                """
                {"cniVersion": "0.3.1", "hairpinMode": true, "ipMasq": false,
                 "ipam": {"ranges": [[{"subnet": "10.42.9.0/24"}]], "routes": [{"dst": "10.42.0.0/16"}],
                          "type": "host-local"},
                 "isDefaultGateway": true, "isGateway": true, "mtu": 1450, "name": "cbr0", "type": "bridge"}
                """));
  }

  @Test
  void somebodyMasqueradesButNotBoth() {
    assertThat(request("{}", env(true, "10.50.0.0/16", "10.50.7.0/24")).at("/ipMasq").asBoolean())
        .isFalse();
    assertThat(request("{}", env(false, "10.50.0.0/16", "10.50.7.0/24")).at("/ipMasq").asBoolean())
        .isTrue();
    assertThat(request("{\"delegate\":{\"ipMasq\":true}}", V4).at("/ipMasq").asBoolean()).isTrue();
  }

  @Test
  void whatTheUserSaysPrevails() {
    JsonNode request =
        request(
            "{\"delegate\":{\"type\":\"bridge\",\"mtu\":1300,\"isGateway\":false,\"bridge\":\"br7\","
                + "\"ipMasq\":null,\"odd\":{\"b\":[{\"z\":1,\"a\":9007199254740993}],\"a\":1.50}}}",
            V4);
    assertThat(request.at("/mtu").asInt()).isEqualTo(1300);
    assertThat(request.at("/isGateway").asBoolean(true)).isFalse();
    assertThat(request.at("/bridge").asString()).isEqualTo("br7");
    assertThat(request.at("/ipMasq").isNull()).isTrue();
    assertThat(request.at("/odd").toString())
        .isEqualTo("{\"a\":1.50,\"b\":[{\"a\":9007199254740993,\"z\":1}]}");
  }

  @Test
  void onlyBridgeIsTheGateway() {
    JsonNode request = request("{\"delegate\":{\"type\":\"ptp\"}}", V4);
    assertThat(request.at("/type").asString()).isEqualTo("ptp");
    assertThat(request.has("isGateway")).isFalse();
  }

  @Test
  void noVersionIsPassedOnAsNone() {
    assertThat(request("{}", V4).has("cniVersion")).isFalse();
    assertThat(request("{\"cniVersion\":\"\"}", V4).has("cniVersion")).isFalse();
  }

  @Test
  void onlyWhatIsMeantForTheDelegateReachesIt() {
    JsonNode request =
        request(
            "{\"runtimeConfig\":{\"mac\":\"00:11:22:33:44:55\"},\"capabilities\":{\"mac\":true},"
                + "\"args\":{\"cni\":{}},\"dns\":{\"nameservers\":[\"10.0.0.1\"]},"
                + "\"prevResult\":{},\"other\":1}",
            V4);
    assertThat(request.propertyNames())
        .containsExactlyInAnyOrder(
            "name", "type", "ipMasq", "mtu", "isGateway", "ipam", "runtimeConfig");
    assertThat(request.at("/runtimeConfig/mac").asString()).isEqualTo("00:11:22:33:44:55");
  }

  @Test
  void bothFamiliesHaveARangeAndTheirRoutes() {
    JsonNode ipam =
        request(
                "{}",
                new SubnetEnv(
                    prefixes("10.50.0.0/16", "10.60.0.0/16", "fd00:50::/48"),
                    prefixes("10.50.7.0/24", "fd00:50:0:7::/64"),
                    1450,
                    true))
            .path("ipam");
    assertThat(ipam.path("ranges").toString())
        .isEqualTo("[[{\"subnet\":\"10.50.7.0/24\"}],[{\"subnet\":\"fd00:50:0:7::/64\"}]]");
    assertThat(ipam.path("routes").toString())
        .isEqualTo(
            "[{\"dst\":\"10.50.0.0/16\"},{\"dst\":\"10.60.0.0/16\"},{\"dst\":\"fd00:50::/48\"}]");
  }

  @Test
  void theUsersIpamKeepsItsTypeItsParametersAndItsRoutesInFront() {
    JsonNode ipam =
        request(
                "{\"ipam\":{\"type\":\"ipam\",\"serverURL\":\"http://10.0.0.1:30111\",\"subnet\":\"1.2.3.0/24\","
                    + "\"ranges\":[[{\"subnet\":\"9.9.9.0/24\"}]],\"routes\":[{\"gw\":\"10.50.7.9\","
                    + "\"dst\":\"192.168.1.7/24\",\"table\":0,\"scope\":253,\"mtu\":1400,\"advmss\":1360,"
                    + "\"priority\":5,\"mine\":true}]}}",
                V4)
            .path("ipam");
    assertThat(ipam.toString())
        .isEqualTo(
            "{\"ranges\":[[{\"subnet\":\"10.50.7.0/24\"}]],\"routes\":[{\"dst\":\"192.168.1.7/24\","
                + "\"gw\":\"10.50.7.9\",\"mtu\":1400,\"advmss\":1360,\"priority\":5,\"table\":0,"
                + "\"scope\":253},{\"dst\":\"10.50.0.0/16\"}],\"serverURL\":\"http://10.0.0.1:30111\","
                + "\"subnet\":\"1.2.3.0/24\",\"type\":\"ipam\"}");
  }

  @Test
  void anIpamWithoutATypeIsHostLocal() {
    JsonNode ipam = request("{\"ipam\":{\"dataDir\":\"/run/leases\"}}", V4).path("ipam");
    assertThat(ipam.path("type").asString()).isEqualTo("host-local");
    assertThat(ipam.path("dataDir").asString()).isEqualTo("/run/leases");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'delegate':{'type':7}}     | dictionary, if present, must have (string) 'type' field",
        "{'delegate':{'type':null}}  | dictionary, if present, must have (string) 'type' field",
        "{'delegate':{'type':''}}    | must not have an empty 'type' field",
        "{'delegate':{'type':'flannel'}} | it would delegate to itself",
        "{'delegate':{'name':'x'}}   | dictionary must not have 'name' field, it'll be set by flannel",
        "{'delegate':{'ipam':{}}}    | dictionary must not have 'ipam' field, it'll be set by flannel",
        "{'delegate':[]}             | delegate must be an object, not a list",
        "{'ipam':{'routes':{}}}      | ipam.routes must be a list, not an object",
        "{'ipam':{'routes':[{}]}}    | ipam.routes[0].dst is missing",
        "{'ipam':{'routes':[{'dst':'10.0.0.0'}]}} | ipam.routes[0].dst",
        "{'ipam':{'routes':[{'dst':'10.0.0.0/8','gw':'x'}]}} | ipam.routes[0].gw",
        "{'subnetFile':''}           | subnetFile must be an absolute path, not \"\"",
        "{'subnetFile':'env'}        | subnetFile must be an absolute path, not \"env\"",
        "{'subnetFile':1}            | subnetFile must be a string, not 1",
        "{'dataDir':'../x'}          | dataDir must be an absolute path, not \"../x\"",
        "{'dataDir':'/a\\u0000b'}    | dataDir is not a path",
        "{'dataDir':false}           | dataDir must be a string, not false",
      })
  void aBadConfigurationIsRefused(String config, String message) {
    CniException refusal =
        assertThrows(CniException.class, () -> request(config.replace('\'', '"'), V4));
    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(refusal.getMessage()).contains(message);
  }

  @Test
  void everythingThatIsBadIsNamedAtOnce() {
    CniException refusal =
        assertThrows(
            CniException.class,
            () ->
                request(
                    "{\"dataDir\":1,\"delegate\":{\"name\":\"a\",\"ipam\":{}},\"ipam\":{\"routes\":7}}",
                    V4));
    assertThat(refusal.details()).contains("dataDir", "'name'", "'ipam'", "ipam.routes");
  }

  @Test
  void absentAndNullMeanTheDefaults() {
    for (String config :
        List.of(
            "{}",
            "{\"delegate\":null,\"ipam\":null,\"subnetFile\":null,\"dataDir\":null,\"runtimeConfig\":null}")) {
      FlannelConf conf = FlannelConf.read(config(config));
      assertThat(conf.subnetFile()).isEqualTo(Path.of("/run/flannel/subnet.env"));
      assertThat(conf.dataDir()).isEqualTo(Path.of("/var/lib/cni/flannel"));
      assertThat(request(config, V4).has("runtimeConfig")).isFalse();
    }
    assertThat(FlannelConf.read(config("{\"SubnetFile\":\"/a\",\"DATADIR\":\"/b\"}")))
        .extracting(FlannelConf::subnetFile, FlannelConf::dataDir)
        .containsExactly(Path.of("/a"), Path.of("/b"));
  }

  private static JsonNode request(String config, SubnetEnv env) {
    return CniJson.parse(text(config, env));
  }

  private static String text(String config, SubnetEnv env) {
    PluginConfig own = config(config);
    return new String(DelegateRequest.of(own, FlannelConf.read(own), env).bytes(), UTF_8);
  }

  private static PluginConfig config(String config) {
    return PluginConfig.ofRequest(config.getBytes(UTF_8));
  }

  private static SubnetEnv env(boolean ipMasq, String network, String subnet) {
    return new SubnetEnv(prefixes(network), prefixes(subnet), 1450, ipMasq);
  }

  private static List<IpPrefix> prefixes(String... texts) {
    return Stream.of(texts).map(IpPrefix::parse).toList();
  }
}
