package io.ocicat.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.config.AgentConfig.ClusterRoutes;
import io.ocicat.agent.config.ConfigSource.Strength;
import io.ocicat.agent.config.ConfigValue.Use;
import io.ocicat.agent.filter.FilterSettings.Failsafe;
import io.ocicat.datastore.model.Shapes;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

class EffectiveConfigTest {
  private static final Map<String, String> LABELS = Map.of("rack", "r1");

  private static Resource resource(String name, Consumer<ObjectNode> spec) {
    return Resource.of(new ResourceKey.Named(Kind.FELIX_CONFIGURATION, "", name), spec);
  }

  private static Resource created(String name, String time, Consumer<ObjectNode> spec) {
    return resource(name, spec)
        .edit(document -> document.withObject("/metadata").put("creationTimestamp", time));
  }

  private static EffectiveConfig of(
      Map<String, String> environment, String file, Resource... resources) {
    return EffectiveConfig.of(sources(environment, file, resources), null);
  }

  private static ConfigSources sources(
      Map<String, String> environment, String file, Resource... resources) {
    return new ConfigSources(environment, file, Arrays.asList(resources), "node-a", LABELS);
  }

  private static ConfigValue value(EffectiveConfig config, String name) {
    return config.value(name).orElseThrow();
  }

  @Test
  void anUnconfiguredNodeHasFelixDefaults() {
    EffectiveConfig config = EffectiveConfig.of(ConfigSources.none("node-a"), null);

    AgentConfig values = config.config();
    assertThat(values.interfacePrefixes()).containsExactly("cali");
    assertThat(values.vxlanPort()).isEqualTo(4789);
    assertThat(values.vxlanVni()).isEqualTo(4096);
    assertThat(values.ipv6Support()).isTrue();
    assertThat(values.deviceRouteProtocol()).isEqualTo(3);
    assertThat(values.ipv4NormalRoutePriority()).isEqualTo(1024);
    assertThat(values.routeRefreshInterval()).isEqualTo(Duration.ofSeconds(90));
    assertThat(values.endpointStatusPathPrefix()).isEqualTo(Path.of("/var/run/calico"));
    assertThat(values.natOutgoingAddress()).isEmpty();
    assertThat(values.healthPort()).isEqualTo(9099);
    assertThat(values.mtuIfacePattern().matcher("enp3s0").find()).isTrue();
    assertThat(config.problems()).isEmpty();
    assertThat(config.values())
        .hasSize(FelixParameters.ALL.size())
        .allSatisfy(
            one -> {
              assertThat(one.source().strength()).isEqualTo(Strength.BUILT_IN);
              assertThat(one.use()).isEqualTo(Use.USED);
            });
  }

  @Test
  void theStrongestSourceWins() {
    Resource common = resource("default", spec -> spec.put("vxlanPort", 1));
    Resource rack =
        resource("rack", spec -> spec.put("nodeSelector", "rack == 'r1'").put("vxlanPort", 2));
    Resource node = resource("node.node-a", spec -> spec.put("vxlanPort", 3));
    Resource other = resource("node.node-b", spec -> spec.put("vxlanPort", 9));
    String file = "[global]\nVXLANPort = 4\n";
    Map<String, String> environment = Map.of("FELIX_VXLANPORT", "5");

    assertThat(of(Map.of(), "", common, other).config().vxlanPort()).isEqualTo(1);
    assertThat(of(Map.of(), "", common, rack, other).config().vxlanPort()).isEqualTo(2);
    assertThat(of(Map.of(), "", common, rack, node, other).config().vxlanPort()).isEqualTo(3);
    assertThat(of(Map.of(), file, common, rack, node).config().vxlanPort()).isEqualTo(4);
    EffectiveConfig all = of(environment, file, common, rack, node);
    assertThat(all.config().vxlanPort()).isEqualTo(5);
    assertThat(value(all, "vxlanPort").source()).hasToString("environment");
    assertThat(value(of(Map.of(), "", common, node), "vxlanPort").source())
        .hasToString("FelixConfiguration node.node-a");
  }

  @Test
  void theCaseOfVariablesDoesNotMatter() {
    assertThat(of(Map.of("Felix_vxlanVni", "7"), "").config().vxlanVni()).isEqualTo(7);
    assertThat(of(Map.of("FELIX_IPINIPMTU", "1400"), "").config().ipipMtu()).isEqualTo(1400);
  }

  @Test
  void anEmptyValueIsNotSetAndNoneSwitchesOff() {
    Resource common =
        resource(
            "default",
            spec ->
                spec.put("natOutgoingAddress", "192.0.2.1").put("routeRefreshInterval", "1m30s"));

    assertThat(of(Map.of("FELIX_NATOUTGOINGADDRESS", ""), "", common).config().natOutgoingAddress())
        .contains(IpAddress.parse("192.0.2.1"));
    EffectiveConfig off =
        of(
            Map.of("FELIX_NATOUTGOINGADDRESS", "none", "FELIX_RouteRefreshInterval", "None"),
            "EndpointStatusPathPrefix = none",
            common);
    assertThat(off.config().natOutgoingAddress()).isEmpty();
    assertThat(off.config().routeRefreshInterval()).isZero();
    assertThat(off.config().endpointStatusPathPrefix()).isEqualTo(Path.of(""));
    assertThat(value(off, "natOutgoingAddress"))
        .isEqualTo(
            new ConfigValue(
                "natOutgoingAddress", "", ConfigSource.ENVIRONMENT, Use.USED, Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vxlanPort | 70000 | must be 1–65535, not \"70000\"",
        "vxlanVNI | 16777216 | must be 0–16777215",
        "vxlanMTU | 12 | must be 0 for automatic, or 68–65535",
        "ipv6Support | perhaps | must be true or false",
        "ipForwarding | on | must be one of Enabled, Disabled",
        "interfacePrefix | cali,a/b | must be prefixes of 1–15 letters",
        "interfacePrefix | none | it cannot be none",
        "mtuIfacePattern | (eth | must be a regular expression",
        "deviceRouteProtocol | 2 | must be 3–255",
        "routeRefreshInterval | -1s | must be seconds",
        "routeRefreshInterval | soon | must be a duration",
        "deviceRouteSourceAddress | fd00::1 | must be an IPv4 address",
        "deviceRouteSourceAddressIPv6 | 10.0.0.1 | must be an IPv6 address",
        "natPortRange | 9:1 | must be a port or a range",
        "endpointStatusPathPrefix | run | must be an absolute path",
        "healthHost | a b | must be 1–64 letters",
        "healthPort | 99999999999999999999 | must be 0–65535",
      })
  void anInvalidValueIsRejectedWithItsRuleAndTheNextSourceCounts(
      String name, String text, String rule) {
    String place = "FELIX_" + FelixNames.key(name).toUpperCase(Locale.ROOT);
    EffectiveConfig config = of(Map.of(place, text), "");

    assertThat(config.problems())
        .singleElement()
        .asString()
        .startsWith(place + " ")
        .contains(rule)
        .endsWith("stays in force (built-in default)");
    assertThat(value(config, name).problem()).contains(config.problems().getFirst());
    assertThat(config.config())
        .usingRecursiveComparison()
        .withEqualsForType((one, other) -> one.pattern().equals(other.pattern()), Pattern.class)
        .isEqualTo(EffectiveConfig.of(ConfigSources.none("node-a"), null).config());
  }

  @Test
  void theLastGoodValueOfASourceStaysWhenItBecomesInvalid() {
    EffectiveConfig good =
        of(Map.of(), "", resource("default", spec -> spec.put("vxlanPort", 8472)));
    ConfigSources bad =
        sources(Map.of(), "", resource("default", spec -> spec.put("vxlanPort", 70000)));

    EffectiveConfig first = EffectiveConfig.of(bad, good);
    EffectiveConfig second = EffectiveConfig.of(bad, first);

    assertThat(second).isEqualTo(first);
    assertThat(second.config()).isSameAs(first.config());
    assertThat(first.config().vxlanPort()).isEqualTo(8472);
    assertThat(first.problems())
        .containsExactly(
            "spec.vxlanPort of FelixConfiguration default must be 1–65535, not \"70000\"; 8472"
                + " stays in force (FelixConfiguration default)");
    assertThat(EffectiveConfig.of(sources(Map.of(), ""), second).config().vxlanPort())
        .as("the resource is gone")
        .isEqualTo(4789);
  }

  @Test
  void failsafePortsAreReadFromVariablesAndFromResources() {
    assertThat(of(Map.of(), "").config().filter().failsafeIngress())
        .contains(new Failsafe(6, 22, Optional.empty()), new Failsafe(17, 68, Optional.empty()));
    Optional<IpPrefix> office = Optional.of(IpPrefix.parse("192.0.2.0/24"));
    Optional<IpPrefix> v6 = Optional.of(IpPrefix.parse("2001:db8::/32"));

    EffectiveConfig variable =
        of(
            Map.of(
                "FELIX_FAILSAFEINBOUNDHOSTPORTS",
                "tcp:192.0.2.0/24:22, udp:[2001:db8::]/32:53,8080",
                "FELIX_FAILSAFEOUTBOUNDHOSTPORTS",
                "none"),
            "");
    assertThat(variable.problems()).isEmpty();
    assertThat(variable.config().filter().failsafeIngress())
        .containsExactly(
            new Failsafe(6, 22, office),
            new Failsafe(17, 53, v6),
            new Failsafe(6, 8080, Optional.empty()));
    assertThat(variable.config().filter().failsafeEgress()).isEmpty();

    Resource common =
        resource(
            "default",
            spec ->
                spec.putArray("failsafeInboundHostPorts")
                    .addObject()
                    .put("protocol", "UDP")
                    .put("port", 53)
                    .put("net", "192.0.2.0/24"));
    assertThat(of(Map.of(), "", common).config().filter().failsafeIngress())
        .containsExactly(new Failsafe(17, 53, office));
    assertThat(of(Map.of("FELIX_FAILSAFEINBOUNDHOSTPORTS", "ssh"), "").problems())
        .singleElement()
        .asString()
        .contains("must be ports as in tcp:192.0.2.0/24:22");
  }

  @Test
  void withoutBirdTheAgentProgramsTheRoutesOfTheCluster() {
    assertThat(of(Map.of(), "").config().programClusterRoutes()).isEqualTo(ClusterRoutes.ENABLED);
    assertThat(of(Map.of("CALICO_NETWORKING_BACKEND", "vxlan"), "").config().programClusterRoutes())
        .isEqualTo(ClusterRoutes.ENABLED);
    assertThat(of(Map.of("CALICO_NETWORKING_BACKEND", "bird"), "").config().programClusterRoutes())
        .as("BIRD 2 knows no IPIP")
        .isEqualTo(ClusterRoutes.IPIP_ONLY);
    assertThat(
            of(Map.of("FELIX_PROGRAMCLUSTERROUTES", "enabledNoEncapOnly"), "")
                .config()
                .programClusterRoutes())
        .isEqualTo(ClusterRoutes.NO_ENCAP_ONLY);
  }

  @Test
  void theOldestOfSeveralResourcesThatSelectTheNodeIsUsed() {
    Resource young =
        created(
            "a",
            "2026-02-01T00:00:00Z",
            spec -> spec.put("nodeSelector", "all()").put("vxlanPort", 1).put("vxlanVNI", 1));
    Resource old =
        created(
            "b",
            "2026-01-01T00:00:00Z",
            spec -> spec.put("nodeSelector", "has(rack)").put("vxlanPort", 2));
    Resource invalid =
        resource("c", spec -> spec.put("nodeSelector", "rack ==").put("vxlanPort", 3));
    Resource elsewhere =
        resource("d", spec -> spec.put("nodeSelector", "has(gpu)").put("vxlanPort", 4));

    EffectiveConfig config = of(Map.of(), "", young, old, invalid, elsewhere);

    assertThat(config.config().vxlanPort()).isEqualTo(2);
    assertThat(config.config().vxlanVni()).isEqualTo(4096);
    assertThat(config.problems())
        .anySatisfy(line -> assertThat(line).contains("b, a all select node node-a"))
        .anySatisfy(line -> assertThat(line).startsWith("FelixConfiguration c is ignored"))
        .hasSize(2);
  }

  @Test
  void everyParameterOfFelixIsKnown() {
    for (String field : Shapes.specMembers(Kind.FELIX_CONFIGURATION)) {
      if (!field.equals("nodeSelector")) {
        assertThat(FelixNames.isField(field)).as(field).isTrue();
        assertThat(FelixNames.ofKey(FelixNames.key(field))).contains(field);
      }
    }
    assertThat(FelixParameters.ALL)
        .allSatisfy(parameter -> assertThat(FelixNames.isField(parameter.name())).isTrue());
  }

  @Test
  void whatTheAgentDoesNotUseIsListedAsSuch() {
    EffectiveConfig config =
        of(
            Map.of("FELIX_TYPHAADDR", "typha:5473", "FELIX_BPFENABLED", "true"),
            "LogSeverityScreen = Info\nnonsense\n",
            resource(
                "default",
                spec -> {
                  spec.put("bpfEnabled", false).put("inventedLater", 7);
                  spec.putArray("healthTimeoutOverrides").addObject().put("name", "x");
                }));

    assertThat(value(config, "typhaAddr").use()).isEqualTo(Use.NOT_USED);
    assertThat(value(config, "bpfEnabled").value()).isEqualTo("true");
    assertThat(value(config, "logSeverityScreen").source().strength()).isEqualTo(Strength.FILE);
    assertThat(value(config, "healthTimeoutOverrides").value()).isEqualTo("[{\"name\":\"x\"}]");
    assertThat(value(config, "inventedLater").use()).isEqualTo(Use.UNKNOWN);
    assertThat(config.problems())
        .containsExactly("/etc/calico/felix.cfg:2 is not \"name = value\": it is ignored");
  }

  @Test
  void aMistypedVariableIsNamed() {
    EffectiveConfig config =
        of(Map.of("FELIX_VXLANPROT", "1", "FELIX_IPIPMTU", "1400", "FELIX_XYZZY", "1"), "");

    assertThat(config.problems())
        .containsExactly(
            "FELIX_IPIPMTU is ignored: Felix has no parameter of this name; did you mean"
                + " IpInIpMtu?",
            "FELIX_VXLANPROT is ignored: Felix has no parameter of this name; did you mean"
                + " vxlanPort?",
            "FELIX_XYZZY is ignored: Felix has no parameter of this name");
    assertThat(config.config().ipipMtu()).isZero();
  }

  @Test
  void theFileMayHaveSectionsCommentsAndQuotes(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("felix.cfg");
    assertThat(ConfigFile.read(file)).isEmpty();
    Files.writeString(
        file, "# Felix\n[global]\nInterfacePrefix = \"cali,tap\"\n; or\nHealthEnabled: yes\n\n");

    AgentConfig config = of(Map.of(), ConfigFile.read(file)).config();

    assertThat(config.interfacePrefixes()).isEqualTo(List.of("cali", "tap"));
    assertThat(config.isWorkloadInterface("tap7")).isTrue();
    assertThat(config.healthEnabled()).isTrue();
  }
}
