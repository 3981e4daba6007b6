package io.ocicat.plugins.staticipam;

import static io.ocicat.plugins.Side.GO;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Ipam;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class StaticPluginTest {
  private static final String BOTH =
      "\"addresses\":[{\"address\":\"10.10.0.1/24\",\"gateway\":\"10.10.0.254\"},"
          + "{\"address\":\"3ffe:ffff:0:01ff::1/64\",\"gateway\":\"3ffe:ffff:0::1\"}],"
          + "\"routes\":[{\"dst\":\"0.0.0.0/0\"},{\"dst\":\"192.168.0.0/16\",\"gw\":\"10.10.5.1\"},"
          + "{\"dst\":\"3ffe:ffff:0:01ff::1/64\"}],"
          + "\"dns\":{\"nameservers\":[\"8.8.8.8\"],\"domain\":\"example.com\",\"search\":[\"example.com\"]}";

  private static Ipam net(String ipam, String... more) {
    return versioned("1.0.0", ipam, more);
  }

  private static Ipam versioned(String version, String ipam, String... more) {
    return Ipam.of(
        "static",
        "{\"cniVersion\":\"%s\",\"name\":\"mynet\",\"type\":\"ipvlan\",\"ipam\":{\"type\":\"static\"%s}%s}"
            .formatted(
                version,
                ipam.isEmpty() ? "" : "," + ipam,
                more.length == 0 ? "" : "," + String.join(",", more)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0"})
  void theResultIsThatOfTheOriginal(String version) {
    JsonNode go = versioned(version, BOTH).by(GO).add().ok();

    JsonNode ours = versioned(version, BOTH).add().ok();

    assertThat(ours).isEqualTo(go);
    assertThat(ours.toString())
        .contains("10.10.0.1/24", "3ffe:ffff:0:1ff::1/64", "10.10.0.254", "8.8.8.8");
    versioned(version, BOTH).del().ok();
  }

  @Test
  void theNewestVersionIsServed() {
    assertThat(versioned("1.1.0", BOTH).add().ok().at("/ips/0/address").asString())
        .isEqualTo("10.10.0.1/24");
  }

  @Test
  void severalRoutesToOneDestinationStay() {
    Ipam net =
        net(
            "\"addresses\":[{\"address\":\"10.10.0.1/24\"}],\"routes\":[{\"dst\":\"192.168.0.0/16\",\"gw\":\"10.10.0.2\"},"
                + "{\"dst\":\"192.168.0.0/16\",\"gw\":\"10.10.0.3\"}]");

    assertThat(net.add().ok().path("routes").toString())
        .isEqualTo(
            "[{\"dst\":\"192.168.0.0/16\",\"gw\":\"10.10.0.2\"},{\"dst\":\"192.168.0.0/16\",\"gw\":\"10.10.0.3\"}]");
  }

  @Test
  void delNeedsNothing() {
    net("").del().ok();
    net("\"addresses\":\"nonsense\"").with("CNI_ARGS", "garbage").del().ok();
    Ipam.of("static", "{\"cniVersion\":\"1.0.0\",\"name\":\"mynet\"}").del().ok();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "IP=10.10.0.1/24;GATEWAY=10.10.0.254 | 10.10.0.1/24 via 10.10.0.254",
        "IP=10.10.0.1/24,11.11.0.1/24;GATEWAY=10.10.0.254 | 10.10.0.1/24 via 10.10.0.254, 11.11.0.1/24",
        "IP=10.10.0.1/24, 11.11.0.1/24 ;GATEWAY=10.10.0.254, 11.11.0.254 | 10.10.0.1/24 via 10.10.0.254, 11.11.0.1/24 via 11.11.0.254",
        "IP=10.10.0.1/24;GATEWAY=10.10.0.254,10.10.0.253 | 10.10.0.1/24 via 10.10.0.253",
        "IP=fd00::7/64;GATEWAY=fd00::1,10.1.1.1 | fd00::7/64 via fd00::1",
        "IgnoreUnknown=1;IP=10.10.0.1/24;K8S=x | 10.10.0.1/24",
        "IP=;GATEWAY= | ",
      })
  void cniArgsNameAddresses(String args, @Nullable String expected) {
    Ipam net = net("").with("CNI_ARGS", args);

    assertThat(addresses(net)).isEqualTo(expected == null ? "" : expected);
    assertThat(addresses(net.by(GO))).isEqualTo(expected == null ? "" : expected);
  }

  /** The gateway applies to addresses of CNI_ARGS only. */
  @Test
  void cniArgsAreAddedToTheConfiguredAddresses() {
    Ipam net =
        net("\"addresses\":[{\"address\":\"10.10.0.9/24\"}]")
            .with("CNI_ARGS", "IP=10.10.0.1/24;GATEWAY=10.10.0.254");

    assertThat(addresses(net)).isEqualTo("10.10.0.9/24, 10.10.0.1/24 via 10.10.0.254");
    assertThat(addresses(net.by(GO))).isEqualTo(addresses(net));
  }

  @Test
  void argsOfTheConfigurationReplaceWhatWasSaidAndTheRuntimeReplacesEverything() {
    String args = "\"args\":{\"cni\":{\"ips\":[\"10.10.0.2/24\",\"11.11.0.2/24\"]}}";
    String runtime = "\"runtimeConfig\":{\"ips\":[\"10.10.0.3/24\",\"fd00::3/64\"]}";
    String configured = "\"addresses\":[{\"address\":\"10.10.0.9/24\",\"gateway\":\"10.10.0.1\"}]";

    Ipam byArgs = net(configured, args).with("CNI_ARGS", "IP=10.10.0.1/24");
    assertThat(addresses(byArgs)).isEqualTo("10.10.0.2/24, 11.11.0.2/24");
    assertThat(addresses(byArgs.by(GO))).isEqualTo(addresses(byArgs));

    Ipam byRuntime = net(configured, args, runtime).with("CNI_ARGS", "IP=10.10.0.1/24");
    assertThat(addresses(byRuntime)).isEqualTo("10.10.0.3/24, fd00::3/64");
    assertThat(addresses(byRuntime.by(GO))).isEqualTo(addresses(byRuntime));
  }

  private static String addresses(Ipam net) {
    StringBuilder text = new StringBuilder();
    for (JsonNode ip : net.add().ok().path("ips")) {
      text.append(text.isEmpty() ? "" : ", ").append(ip.path("address").asString());
      if (ip.has("gateway")) {
        text.append(" via ").append(ip.path("gateway").asString());
      }
    }
    return text.toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'ipam':{'addresses':[{'address':'10.10.0.1'}]} | ipam.addresses[0].address \"10.10.0.1\" is not a CIDR",
        "'ipam':{'addresses':[{'address':7}]} | ipam.addresses[0].address must be a string, not 7",
        "'ipam':{'addresses':[{'gateway':'10.10.0.1'}]} | ipam.addresses[0].address is missing",
        "'ipam':{'addresses':[{'address':'10.10.0.1/24','gateway':'x'}]} | ipam.addresses[0].gateway \"x\" is not an IP address",
        "'ipam':{'addresses':['10.10.0.1/24']} | ipam.addresses[0] must be an object",
        "'ipam':{'addresses':{}} | ipam.addresses must be a list, not an object",
        "'ipam':{'routes':[{'dst':'10.0.0.1'}]} | ipam.routes[0].dst \"10.0.0.1\" is not a CIDR",
        "'ipam':{'routes':7} | ipam.routes must be a list, not 7",
        "'ipam':{'dns':[]} | ipam.dns must be an object, not a list",
        "'ipam':{'dns':{'nameservers':'8.8.8.8'}} | ipam.dns.nameservers must be a list",
        "'ipam':{},'args':{'cni':{'ips':['10.10.0.1']}} | args.cni.ips[0] \"10.10.0.1\" is not a CIDR",
        "'ipam':{},'runtimeConfig':{'ips':['10.10.0.1/33']} | runtimeConfig.ips[0] \"10.10.0.1/33\" is not a CIDR",
        "'ipam':{},'runtimeConfig':{'ips':[null]} | runtimeConfig.ips[0] is missing",
        "'args':{'cni':{'ips':['10.10.0.1/24']}} | IPAM config missing 'ipam' key",
        "'runtimeConfig':{'ips':['10.10.0.1/24']} | IPAM config missing 'ipam' key",
      })
  void everyBadFieldIsNamed(String members, String problem) {
    CniException refusal =
        Ipam.of(
                "static",
                "{\"cniVersion\":\"1.0.0\",\"name\":\"mynet\",%s}"
                    .formatted(members.replace('\'', '"')))
            .add()
            .error();

    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(refusal.getMessage()).contains(problem);
  }

  /** What is replaced is not checked, as in the Go plugin. */
  @Test
  void abadAddressThatIsReplacedDoesNotMatter() {
    Ipam net =
        net(
            "\"addresses\":[{\"address\":\"10.10.0.1\"}]",
            "\"runtimeConfig\":{\"ips\":[\"10.10.0.3/24\"]}");

    assertThat(addresses(net)).isEqualTo("10.10.0.3/24");
    assertThat(addresses(net.by(GO))).isEqualTo("10.10.0.3/24");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "IP=10.10.0.1",
        "IP=10.10.0.1/24,x/8",
        "IP=10.10.0.1/24;GATEWAY=gate",
        "IP",
        "MAC=1"
      })
  void argsThatAreNotUnderstoodAreRefused(String args) {
    CniException refusal = net("").with("CNI_ARGS", args).add().error();

    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
    assertThat(refusal.msg()).startsWith("ARGS: ");
    net("").with("CNI_ARGS", args).by(GO).add().error();
  }

  @Test
  void oldVersionsHaveOneAddressPerFamily() {
    String two = "\"addresses\":[{\"address\":\"10.1.0.1/24\"},{\"address\":\"10.1.0.2/24\"}]";

    assertThat(versioned("0.2.0", two).add().error().msg())
        .contains("CNI version 0.2.0 does not support more than 1 address per family");
    assertThat(addresses(versioned("0.3.0", two))).isEqualTo("10.1.0.1/24, 10.1.0.2/24");
  }

  @Test
  void checkComparesWithThePreviousResult() {
    net(BOTH, previous("10.10.0.1/24", "10.10.0.254", "3ffe:ffff:0:1ff::1/64", "3ffe:ffff::1"))
        .check()
        .ok();
    assertThat(
            net(
                    BOTH,
                    previous(
                        "10.10.0.1/24", "10.10.0.253", "3ffe:ffff:0:1ff::1/64", "3ffe:ffff::1"))
                .check()
                .error()
                .getMessage())
        .isEqualTo(
            "static: Failed to match addr 10.10.0.1 on interface eth0; its gateway is 10.10.0.254"
                + " in the configuration and 10.10.0.253 in the previous result");
    assertThat(net(BOTH).check().error().msg()).isEqualTo("required prevResult missing");
  }

  @Test
  void agatewayThatIsNotConfiguredMayBeAny() {
    net("\"addresses\":[{\"address\":\"10.10.0.1/24\"}]", previous("10.10.0.1/24", "10.10.0.9"))
        .check()
        .ok();
  }

  /** The Go plugin does not notice. */
  @Test
  void checkMissesAnAddress() {
    Ipam net = net(BOTH, previous("10.10.0.1/24", "10.10.0.254"));
    net.by(GO).check().ok();

    assertThat(net.check().error().getMessage())
        .isEqualTo(
            "static: Failed to match addr 3ffe:ffff:0:1ff::1 on interface eth0; it is not in the"
                + " previous result");
  }

  @Test
  void statusAndGcAreAnswered() {
    versioned("1.1.0", BOTH).status().ok();
    versioned("1.1.0", BOTH, "\"cni.dev/valid-attachments\":[]").gc().ok();
  }

  private static String previous(String... addressesAndGateways) {
    StringBuilder ips = new StringBuilder();
    for (int i = 0; i < addressesAndGateways.length; i += 2) {
      ips.append(ips.isEmpty() ? "" : ",")
          .append(
              "{\"address\":\"%s\",\"gateway\":\"%s\"}"
                  .formatted(addressesAndGateways[i], addressesAndGateways[i + 1]));
    }
    return "\"prevResult\":{\"cniVersion\":\"1.0.0\",\"ips\":[" + ips + "]}";
  }
}
