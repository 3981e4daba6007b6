package io.ocicat.datastore.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

/** Defaults, names and rules of each kind. */
class ResourceAdmissionTest {
  private static final ResourceAdmission ADMISSION =
      new ResourceAdmission(
          Clock.fixed(Instant.parse("2026-02-03T04:05:06.789Z"), ZoneOffset.UTC),
          () -> UUID.fromString("0b0e7a52-6f0e-4b53-9f0d-2f6a3c1d9e44"));

  private static Resource resource(Kind kind, String name, String spec) {
    return Resource.of(
        new ResourceKey.Named(kind, kind.isNamespaced() ? "shop" : "", name),
        node -> node.setAll(StoredJson.parseObject(spec)));
  }

  private static String spec(Kind kind, String name, String spec) {
    return StoredJson.compact(
        ADMISSION.forCreate(resource(kind, name, spec)).content().get("spec"));
  }

  @Test
  void metadataIsCompleted() {
    assertThat(
            StoredJson.compact(
                ADMISSION.forCreate(resource(Kind.NETWORK_SET, "partners", "{}")).content()))
        .isEqualTo(
            "{\"kind\":\"NetworkSet\",\"apiVersion\":\"projectcalico.org/v3\",\"metadata\":{\"name\":\"partners\","
                + "\"namespace\":\"shop\",\"uid\":\"0b0e7a52-6f0e-4b53-9f0d-2f6a3c1d9e44\","
                + "\"creationTimestamp\":\"2026-02-03T04:05:06Z\"},\"spec\":{}}");
  }

  @Test
  void aPoolsDefaultsAreWritten() {
    assertThat(spec(Kind.IP_POOL, "v4", "{\"cidr\":\"10.65.0.0/16\"}"))
        .isEqualTo(
            "{\"cidr\":\"10.65.0.0/16\",\"vxlanMode\":\"Never\",\"ipipMode\":\"Never\",\"blockSize\":26,"
                + "\"nodeSelector\":\"all()\",\"allowedUses\":[\"Workload\",\"Tunnel\"],"
                + "\"assignmentMode\":\"Automatic\"}");
    assertThat(spec(Kind.IP_POOL, "v6", "{\"cidr\":\"FD00:65:0::/48\"}"))
        .startsWith("{\"cidr\":\"fd00:65::/48\"")
        .contains("\"blockSize\":122");
  }

  @Test
  void aPolicysTypesFollowFromItsRules() {
    String rule = "[{\"action\":\"Allow\"}]";
    assertThat(spec(Kind.NETWORK_POLICY, "p", "{}"))
        .isEqualTo("{\"tier\":\"default\",\"types\":[\"Ingress\"]}");
    assertThat(spec(Kind.NETWORK_POLICY, "p", "{\"egress\":" + rule + "}"))
        .endsWith("\"types\":[\"Egress\"]}");
    assertThat(spec(Kind.NETWORK_POLICY, "p", "{\"egress\":" + rule + ",\"ingress\":" + rule + "}"))
        .endsWith("\"types\":[\"Ingress\",\"Egress\"]}");
    assertThat(
            ADMISSION
                .forCreate(resource(Kind.GLOBAL_NETWORK_POLICY, "p", "{\"tier\":\"security\"}"))
                .labels())
        .containsEntry("projectcalico.org/tier", "security");
  }

  @Test
  void anEndpointsLabelsSayWhereItIs() {
    Resource endpoint =
        resource(
                Kind.WORKLOAD_ENDPOINT,
                "n-k8s-p-eth0",
                """
                {"orchestrator":"k8s","node":"n","pod":"p","endpoint":"eth0","interfaceName":"cali1"}""")
            .edit(
                d ->
                    d.withObject("/metadata")
                        .putObject("labels")
                        .put("projectcalico.org/namespace", "elsewhere"));

    assertThat(ADMISSION.forCreate(endpoint).labels())
        .containsEntry("projectcalico.org/namespace", "shop")
        .containsEntry("projectcalico.org/orchestrator", "k8s");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      textBlock =
          """
          IP_POOL ; p ; {} ; spec.cidr is missing
          IP_POOL ; p ; {"cidr":"10.65.0.1/16"} ; spec.cidr "10.65.0.1/16" has host bits set: write 10.65.0.0/16
          IP_POOL ; p ; {"cidr":7} ; spec.cidr must be a string, not 7
          IP_POOL ; p ; {"cidr":"169.254.1.0/24"} ; spec.cidr 169.254.1.0/24 overlaps the link-local addresses
          IP_POOL ; p ; {"cidr":"fe80::/64"} ; overlaps the link-local addresses
          IP_POOL ; p ; {"cidr":"10.65.0.0/16","blockSize":19} ; spec.blockSize must be 20–32, not 19
          IP_POOL ; p ; {"cidr":"fd00::/64","blockSize":26} ; spec.blockSize must be 116–128, not 26
          IP_POOL ; p ; {"cidr":"10.65.0.0/28"} ; spec.cidr 10.65.0.0/28 is smaller than a block (/26)
          IP_POOL ; p ; {"cidr":"fd00::/64","ipipMode":"Always"} ; spec.ipipMode must be Never for an IPv6 pool
          IP_POOL ; p ; {"cidr":"10.65.0.0/16","ipipMode":"Always","vxlanMode":"Always"} ; cannot both be on
          IP_POOL ; p ; {"cidr":"10.65.0.0/16","nodeSelector":"global()"} ; spec.nodeSelector must not use global()
          IP_POOL ; p ; {"cidr":"10.65.0.0/16","nodeSelector":"a = b"} ; spec.nodeSelector "a = b" is not a selector
          IP_POOL ; p ; {"cidr":"10.65.0.0/16","namespaceSelector":"has(a)"} ; whose allowedUses have Tunnel
          IP_POOL ; p ; {"cidr":"10.65.0.0/16","allowedUses":["LoadBalancer","Workload"]} ; cannot combine LoadBalancer
          IP_POOL ; p ; {"cidr":"10.65.0.0/16","allowedUses":["Food"]} ; spec.allowedUses[0] must be one of
          IP_POOL ; P ; {"cidr":"10.65.0.0/16"} ; metadata.name must be lower-case letters
          IP_RESERVATION ; r ; {"reservedCIDRs":["10.0.0.300"]} ; spec.reservedCIDRs[0] "10.0.0.300" is not an IP address
          CLUSTER_INFORMATION ; other ; {} ; metadata.name must be default
          NODE ; n ; {"bgp":{}} ; spec.bgp must not be empty
          NODE ; n ; {"bgp":{"ipv4Address":"fd00::1/64"}} ; spec.bgp.ipv4Address must be an IPv4 address
          NODE ; n ; {"bgp":{"asNumber":"x"}} ; spec.bgp.asNumber must be an AS number
          HOST_ENDPOINT ; h ; {"node":"n"} ; spec needs interfaceName or expectedIPs
          HOST_ENDPOINT ; h ; {"interfaceName":"eth0","ports":[{"name":"x","protocol":"ICMP","port":1}]} ; spec.ports[0].protocol has no ports
          NETWORK_POLICY ; a.b.c ; {} ; metadata.name must be
          NETWORK_POLICY ; p ; {"types":["Ingress","Ingress"]} ; spec.types has Ingress twice
          NETWORK_POLICY ; p ; {"ingress":[{}]} ; spec.ingress[0].action is missing
          NETWORK_POLICY ; p ; {"ingress":[{"action":"allow"}]} ; spec.ingress[0].action must be one of
          NETWORK_POLICY ; p ; {"ingress":[{"action":"Allow","destination":{"ports":[80]}}]} ; spec.ingress[0].destination.ports need a protocol
          NETWORK_POLICY ; p ; {"ingress":[{"action":"Allow","protocol":"TCP","destination":{"ports":["90:80"]}}]} ; from low to high
          NETWORK_POLICY ; p ; {"ingress":[{"action":"Allow","source":{"nets":["10.0.0.0/8","fd00::/8"]}}]} ; both IPv4 and IPv6 nets
          NETWORK_POLICY ; p ; {"ingress":[{"action":"Allow","ipVersion":6,"source":{"nets":["10.0.0.0/8"]}}]} ; ipVersion must be that of the nets
          NETWORK_POLICY ; p ; {"ingress":[{"action":"Allow","source":{"notNets":["0.0.0.0/0"]}}]} ; the rule would match nothing
          NETWORK_POLICY ; p ; {"egress":[{"action":"Allow","http":{}}]} ; spec.egress[0].http is not possible
          NETWORK_POLICY ; p ; {"ingress":[{"action":"Allow","source":{"services":{}}}]} ; spec.ingress[0].source.services.name is missing
          GLOBAL_NETWORK_POLICY ; p ; {"doNotTrack":true} ; spec.doNotTrack needs applyOnForward
          GLOBAL_NETWORK_POLICY ; p ; {"doNotTrack":true,"preDNAT":true,"applyOnForward":true} ; spec.preDNAT cannot be set together with doNotTrack
          PROFILE ; p ; {"labelsToApply":{"a b":"c"}} ; spec.labelsToApply["a b"] must be named by
          TIER ; a.b ; {} ; metadata.name must be lower-case letters, digits and -
          BGP_CONFIGURATION ; default ; {"communities":[{"name":"x","value":"70000:1"}],"prefixAdvertisements":[{"cidr":"10.0.0.0/8","communities":["x"]}]} ; "70000:1" is not a community
          BGP_CONFIGURATION ; default ; {"nodeMeshMaxRestartTime":"soon"} ; must be a duration
          FELIX_CONFIGURATION ; default ; {"ipv6Support":"yes"} ; spec.ipv6Support must be true or false, not "yes"
          FELIX_CONFIGURATION ; default ; {"routeRefreshInterval":90} ; spec.routeRefreshInterval must be a string
          WORKLOAD_ENDPOINT ; n-k8s-p-eth0 ; {"orchestrator":"k8s","node":"n","pod":"q","endpoint":"eth0","interfaceName":"cali1"} ; metadata.name must be what spec says, n-k8s-q-eth0
          WORKLOAD_ENDPOINT ; n-k8s-p-eth0 ; {"orchestrator":"k8s","node":"n","endpoint":"eth0","interfaceName":"cali1"} ; spec makes no name: pod is missing
          WORKLOAD_ENDPOINT ; n-k8s-p-eth0 ; {"interfaceName":"an-interface-name"} ; spec.interfaceName must be 1–15
          WORKLOAD_ENDPOINT ; n-k8s-p-eth0 ; {"interfaceName":"c","ipNetworks":["10.0.0.0/24"]} ; must be single addresses
          WORKLOAD_ENDPOINT ; n-k8s-p-eth0 ; {"interfaceName":"c","mac":"ee:ee"} ; spec.mac "ee:ee" is not a MAC address
          WORKLOAD_ENDPOINT ; n-k8s-p-eth0 ; {"interfaceName":"c","ipNetworks":["10.0.0.1/32"],"ipNATs":[{"internalIP":"10.0.0.2","externalIP":"1.1.1.1"}]} ; spec.ipNATs maps to 10.0.0.2
          WORKLOAD_ENDPOINT ; n-k8s-p-eth0 ; {"interfaceName":"c","ports":[{"protocol":"TCP","port":80}]} ; spec.ports[0] needs a name or a hostPort
          WORKLOAD_ENDPOINT ; N-k8s-p-eth0 ; {"interfaceName":"c"} ; metadata.name must be lower-case
          WORKLOAD_ENDPOINT ; n-cni-a--b-eth0 ; {"interfaceName":"c","containerID":"a_b"} ; spec.containerID must be letters, digits and -
          """)
  void whatIsWrongIsNamed(Kind kind, String name, String spec, String message) {
    assertThatThrownBy(() -> ADMISSION.forCreate(resource(kind, name, spec)))
        .isInstanceOf(InvalidException.class)
        .hasMessageStartingWith(kind.text() + " ")
        .hasMessageContaining(message)
        .message()
        .doesNotContain("\n");
  }

  @Test
  void labelsAndAnnotationsAreKubernetes() {
    Resource set =
        resource(Kind.NETWORK_SET, "s", "{}")
            .edit(
                d -> {
                  ObjectNode metadata = d.withObject("/metadata");
                  metadata.putObject("labels").put("fine", "").put("-bad", "x").put("b", "é");
                  metadata.putObject("annotations").put("Fine.Example/X", "é".repeat(200 << 10));
                });

    assertThatThrownBy(() -> ADMISSION.forCreate(set))
        .hasMessageContaining("metadata.labels.-bad must be named by")
        .hasMessageContaining("metadata.labels.b must be at most 63");
    assertThatThrownBy(
            () -> ADMISSION.forCreate(set.edit(d -> d.withObject("/metadata").putObject("labels"))))
        .hasMessageContaining("metadata.annotations must have at most 262144 bytes");
  }

  @Test
  void aSetHasNoLabelOfItsNamespace() {
    Resource set =
        resource(Kind.GLOBAL_NETWORK_SET, "s", "{}")
            .edit(
                d ->
                    d.withObject("/metadata")
                        .putObject("labels")
                        .put("projectcalico.org/namespace", "shop"));

    assertThatThrownBy(() -> ADMISSION.forCreate(set))
        .hasMessageContaining("metadata.labels must not have projectcalico.org/namespace");
  }

  @Test
  void valuesAreWrittenInTheirNormalForm() {
    assertThat(
            spec(
                Kind.BGP_PEER,
                "p",
                """
                {"asNumber":"1.10","localASNumber":"64512","maxRestartTime":"120s","keepaliveTime":"90m1.5s"}"""))
        .isEqualTo(
            "{\"asNumber\":65546,\"localASNumber\":64512,\"maxRestartTime\":\"2m0s\",\"keepaliveTime\":\"1h30m1.5s\"}");
    assertThat(
            spec(
                Kind.NETWORK_POLICY,
                "p",
                """
                {"ingress":[{"action":"Allow","protocol":"6","source":{},"destination":{"ports":["80","1:1","2:3"]}}]}"""))
        .contains(
            "{\"action\":\"Allow\",\"protocol\":6,\"destination\":{\"ports\":[80,1,\"2:3\"]}}");
  }

  @Test
  void theDocumentMustAgreeWithItsKey() {
    Resource strange =
        Resource.of(
            ResourceKey.of(Kind.IP_POOL, "blue"),
            StoredJson.parseObject(
                """
                {"kind":"Node","apiVersion":"v1","metadata":{"name":"green","namespace":"x"},
                 "spec":{"cidr":"10.65.0.0/16"}}"""));

    assertThatThrownBy(() -> ADMISSION.forCreate(strange))
        .hasMessageContaining("kind must be IPPool, not \"Node\"")
        .hasMessageContaining("apiVersion must be projectcalico.org/v3, not \"v1\"")
        .hasMessageContaining("metadata.name must be blue, not \"green\"")
        .hasMessageContaining("metadata.namespace must be left out");
  }

  @Test
  void anUpdateNeedsWhatWasRead() {
    Resource read = ADMISSION.forCreate(resource(Kind.NETWORK_SET, "s", "{}")).withRevision("5");

    assertThat(ADMISSION.forUpdate(read)).isEqualTo(read);
    assertThatThrownBy(
            () -> ADMISSION.forUpdate(read.edit(d -> d.withObject("/metadata").remove("uid"))))
        .hasMessageContaining("without metadata.uid");
  }

  @Test
  void aDocumentOfAUserBecomesAResource() {
    Resource resource =
        Resource.ofDocument(
            StoredJson.parseObject(
                """
                {"kind":"IPPool","apiVersion":"projectcalico.org/v3",
                 "metadata":{"name":"blue","resourceVersion":"7"},"spec":{"cidr":"10.65.0.0/16","colour":"blue"}}"""));

    assertThat(resource.revision()).isEqualTo("7");
    assertThat(resource.toDocument().at("/metadata/resourceVersion").stringValue()).isEqualTo("7");
    assertThat(Shapes.unknownMembers(resource)).containsExactly("spec.colour");
    assertThatThrownBy(() -> Resource.ofDocument(StoredJson.parseObject("{\"kind\":\"Ippool\"}")))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("kind \"Ippool\" is not known");
    assertThatThrownBy(
            () ->
                Resource.ofDocument(
                    StoredJson.parseObject("{\"kind\":\"IPPool\",\"apiVersion\":\"v1\"}")))
        .hasMessageContaining("apiVersion of IPPool must be projectcalico.org/v3");
  }
}
