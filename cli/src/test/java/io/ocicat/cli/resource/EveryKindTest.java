package io.ocicat.cli.resource;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.DatastoreShell;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.datastore.resource.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind a user may write: applied, shown, and what is shown applied again (review K15). */
class EveryKindTest {

  /** A kind by calicoctl's name, and the spec of one. */
  record Sample(String kind, String name, String spec) {
    String document() {
      Kind known = Kind.find(kind).orElseThrow();
      return "{apiVersion: %s, kind: %s, metadata: {name: %s%s}, %s: %s}"
          .formatted(
              known.apiVersion(),
              known.documentKind(),
              name,
              isNamespaced() ? ", namespace: shop" : "",
              // The only kind without a spec.
              known == Kind.ENDPOINT_SLICE ? "addressType" : "spec",
              spec);
    }

    boolean isNamespaced() {
      return Kind.find(kind).map(Kind::isNamespaced).orElse(false);
    }

    @Override
    public String toString() {
      return kind;
    }
  }

  static List<Sample> samples() {
    return List.of(
        new Sample("Tier", "security", "{order: 10}"),
        new Sample("GlobalNetworkPolicy", "g", "{ingress: [{action: Deny}]}"),
        new Sample("NetworkPolicy", "web", "{egress: [{action: Allow, protocol: UDP}]}"),
        new Sample("StagedGlobalNetworkPolicy", "sg", "{stagedAction: Delete}"),
        new Sample("StagedNetworkPolicy", "sn", "{selector: has(a)}"),
        new Sample("StagedKubernetesNetworkPolicy", "sk", "{podSelector: {matchLabels: {a: on}}}"),
        new Sample("GlobalNetworkSet", "gs", "{nets: [10.0.0.0/8]}"),
        new Sample("NetworkSet", "ns", "{nets: [10.0.0.0/8]}"),
        new Sample("Profile", "web", "{labelsToApply: {a: 032}}"),
        new Sample("HostEndpoint", "h", "{node: node-1, interfaceName: eth0}"),
        new Sample("IPPool", "blue", "{cidr: 10.65.0.0/16}"),
        new Sample("IPReservation", "r", "{reservedCIDRs: [10.65.0.0/30]}"),
        new Sample("Node", "node-1", "{bgp: {asNumber: \"1.10\"}}"),
        new Sample("Namespace", "shop", "{}"),
        new Sample(
            "KubernetesNetworkPolicy", "kn", "{podSelector: {}, ingress: [{ports: [{port: 80}]}]}"),
        new Sample(
            "ClusterNetworkPolicy", "cn", "{tier: Admin, priority: 5, subject: {namespaces: {}}}"),
        new Sample("EndpointSlice", "web-1", "IPv4"),
        new Sample("BGPConfiguration", "default", "{nodeMeshMaxRestartTime: 120s}"),
        new Sample("BGPPeer", "p", "{peerIP: 192.0.2.1, asNumber: 64512}"),
        new Sample("BGPFilter", "f", "{importV4: [{action: Reject}]}"),
        new Sample("FelixConfiguration", "default", "{bpfEnabled: yes, vxlanMTU: 1_450}"),
        new Sample("KubeControllersConfiguration", "default", "{controllers: {node: {}}}"),
        new Sample(
            "CalicoNodeStatus", "s", "{node: node-1, classes: [BGP], updatePeriodSeconds: 10}"),
        new Sample("IPAMConfiguration", "default", "{strictAffinity: true}"),
        new Sample(
            "WorkloadEndpoint",
            "node--1-k8s-web--0-eth0",
            "{node: node-1, orchestrator: k8s, pod: web-0, endpoint: eth0, interfaceName: cali1,"
                + " ipNetworks: [10.65.0.9/32], profiles: [kns.shop]}"));
  }

  /** IPAM's records are its own, and the cluster's state is set by who sets up the cluster. */
  @Test
  void thereIsASampleOfEveryKindThatCanBeWritten() {
    assertThat(samples())
        .extracting(Sample::kind)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Kind.values())
                .filter(kind -> !kind.isIpam() && kind != Kind.CLUSTER_INFORMATION)
                .map(Kind::text)
                .toList());
  }

  @TempDir Path directory;
  private DatastoreShell shell = DatastoreShell.embedded(Path.of("/nonexistent"));

  @BeforeEach
  void open() {
    shell = DatastoreShell.embedded(directory.resolve("state"));
  }

  private String get(Sample sample, String... more) {
    List<String> args = new ArrayList<>(List.of("get", sample.kind(), sample.name(), "-o", "yaml"));
    if (sample.isNamespaced()) {
      args.addAll(List.of("-n", "shop"));
    }
    args.addAll(List.of(more));
    Printed printed = shell.run(args.toArray(String[]::new));
    assertThat(printed.exitCode()).as(printed.err()).isZero();
    return printed.out();
  }

  @ParameterizedTest
  @MethodSource("samples")
  void whatIsShownCanBeAppliedAgain(Sample sample) {
    Printed applied = shell.runWith(sample.document(), "apply", "-f", "-");
    assertThat(applied)
        .isEqualTo(
            new Printed(
                0, "Successfully applied 1 '%s' resource(s)\n".formatted(sample.kind()), ""));
    String shown = get(sample);

    Printed again = shell.runWith(shown, "apply", "-f", "-");

    assertThat(again.err()).isEmpty();
    assertThat(again.exitCode()).isZero();
    assertThat(withoutRevision(get(sample))).isEqualTo(withoutRevision(shown));
  }

  private static String withoutRevision(String yaml) {
    return yaml.replaceAll("resourceVersion: .*", "");
  }

  @Test
  void yamlIsReadAsCalicoctlReadsIt() {
    shell.runWith(
        new Sample("FelixConfiguration", "default", "{bpfEnabled: yes, vxlanMTU: 032}").document(),
        "apply",
        "-f",
        "-");
    assertThat(get(new Sample("FelixConfiguration", "default", "")))
        .contains("bpfEnabled: true")
        .contains("vxlanMTU: 26");
  }

  @Test
  void ipamconfigIsCalicoctlsKind() {
    shell.runWith(
        new Sample("IPAMConfiguration", "default", "{strictAffinity: true}").document(),
        "apply",
        "-f",
        "-");
    assertThat(get(new Sample("ipamconfig", "default", "")))
        .contains("kind: IPAMConfiguration")
        .contains("strictAffinity: true");
  }

  /** Review C17. */
  @Test
  void aPatchWithAFieldThatDoesNotExistChangesNothing() {
    Sample pool = samples().get(10);
    shell.runWith(pool.document(), "apply", "-f", "-");
    String before = get(pool);

    Printed patched =
        shell.run("patch", "ippool", "blue", "-p", "{\"spec\":{\"natOutgoin\":true}}");

    assertThat(patched)
        .isEqualTo(
            new Printed(
                1, "", "ocicat: IPPool blue has no field spec.natOutgoin: correct or remove it\n"));
    assertThat(get(pool)).isEqualTo(before);
  }

  /** Review C17. */
  @Test
  void aTierWithPoliciesIsNotDeleted() {
    shell.runWith(new Sample("Tier", "ops", "{order: 1}").document(), "apply", "-f", "-");
    shell.runWith(
        new Sample("StagedGlobalNetworkPolicy", "ops.p", "{tier: ops}").document(),
        "apply",
        "-f",
        "-");

    Printed refused = shell.run("delete", "tier", "ops");

    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err())
        .contains("Tier ops cannot be deleted: StagedGlobalNetworkPolicy ops.p is in it");
    assertThat(shell.run("delete", "tier", "default").err())
        .contains("Tier default cannot be deleted: Calico needs it");
    shell.run("delete", "sgnp", "ops.p");
    assertThat(shell.run("delete", "tier", "ops").exitCode()).isZero();
  }

  /** Both are called NetworkPolicy: the version says whose a document is. */
  @Test
  void aPolicyOfKubernetesIsNotCalicos() {
    shell.runWith(
        "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: db}, spec: {podSelector: {}}}",
        "apply",
        "-n",
        "shop",
        "-f",
        "-");

    assertThat(shell.run("get", "networkpolicies", "-n", "shop", "-o", "name").out()).isEmpty();
    assertThat(shell.run("get", "kubernetesnetworkpolicies", "-n", "shop", "-o", "name").out())
        .isEqualTo("kubernetesnetworkpolicy/db\n");
    assertThat(shell.run("get", "knp", "db", "-n", "shop", "-o", "yaml").out())
        .contains("apiVersion: networking.k8s.io/v1", "kind: NetworkPolicy", "- Ingress");
    assertThat(shell.run("delete", "np", "db", "-n", "shop").exitCode()).isEqualTo(1);
    assertThat(shell.run("delete", "knp", "db", "-n", "shop").exitCode()).isZero();
    assertThat(
            shell
                .runWith(
                    "{apiVersion: extensions/v1beta1, kind: NetworkPolicy, metadata: {name: db}}",
                    "apply",
                    "-f",
                    "-")
                .err())
        .contains(
            "apiVersion of NetworkPolicy must be projectcalico.org/v3, or Kubernetes' networking.k8s.io/v1,"
                + " not \"extensions/v1beta1\"");
  }

  /** What the API server refuses. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {ingress: [{from: [{}]}]} | spec.ingress[0].from[0] needs podSelector, namespaceSelector or ipBlock
          {ingress: [{ports: [{port: 0}]}]} | spec.ingress[0].ports[0].port must be 1–65535, not 0
          {ingress: [{ports: [{port: Web}]}]} | spec.ingress[0].ports[0].port must be a number, or 1–15
          {ingress: [{ports: [{protocol: ICMP}]}]} | spec.ingress[0].ports[0].protocol must be one of
          {policyTypes: [ingress]} | spec.policyTypes[0] must be one of
          {podSelector: {matchExpressions: [{key: a, operator: Is}]}} | operator must be one of
          {podSelector: {matchLabels: {"a b": c}}} | spec.podSelector.matchLabels["a b"] must be named by
          {egress: [{to: [{ipBlock: {cidr: 10.0.0.0}}]}]} | must be a CIDR with a length
          {egress: [{from: []}]} | has no field spec.egress[0].from
          """)
  void whatKubernetesRefusesIsRefused(String spec, String message) {
    Printed refused =
        shell.runWith(
            new Sample("KubernetesNetworkPolicy", "web", spec).document(), "apply", "-f", "-");

    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains(message);
    assertThat(refused.err().lines()).hasSize(1);
  }

  @Test
  void whatCannotBeLabelledSaysSo() {
    assertThat(shell.run("label", "block", "10.65.0.0/26", "a=b").err())
        .contains("IPAMBlock cannot be labelled by hand: IPAM keeps it");
  }

  @Test
  void aPolicyOfKubernetesIsLeftToKubernetes() {
    assertThat(
            shell
                .runWith(
                    new Sample("NetworkPolicy", "knp.default.web", "{}").document(),
                    "apply",
                    "-f",
                    "-")
                .err())
        .contains("is made of a policy of Kubernetes: change that with kubectl");
  }

  /** What calicoctl refuses, as many of each kind as we once accepted (review K5). */
  record Invalid(Sample sample, String field) {
    @Override
    public String toString() {
      return sample + " " + sample.spec();
    }
  }

  @ParameterizedTest
  @MethodSource("invalid")
  void whatCalicoctlRefusesIsRefusedAndNothingIsChanged(Invalid invalid) {
    Sample sample = invalid.sample();
    String before = shell.run("get", sample.kind(), "-o", "yaml").out();

    Printed refused = shell.runWith(sample.document(), "apply", "-f", "-");

    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains(" " + invalid.field() + " ").endsWith("\n");
    assertThat(refused.err().lines()).hasSize(1);
    assertThat(shell.run("get", sample.kind(), "-o", "yaml").out()).isEqualTo(before);
  }

  static List<Invalid> invalid() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(EveryKindTest.class.getResourceAsStream("invalid.samples"))) {
      List<Invalid> samples =
          new String(in.readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.startsWith("#"))
              .map(line -> line.split(" ; ", -1))
              .map(parts -> new Invalid(new Sample(parts[0], parts[1], parts[2]), parts[3]))
              .toList();
      assertThat(samples).hasSize(41);
      return samples;
    }
  }

  @Test
  void annotationsOfANamespaceAreSetAndRemoved() {
    shell.runWith("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}", "apply", "-f", "-");

    assertThat(shell.run("annotate", "ns", "shop", "cni.projectcalico.org/ipv4pools=[\"blue\"]"))
        .isEqualTo(
            new Printed(
                0,
                "Successfully set annotation cni.projectcalico.org/ipv4pools on Namespace shop\n",
                ""));
    assertThat(shell.run("get", "namespaces", "-o", "wide").out())
        .contains("ANNOTATIONS")
        .contains("shop", "cni.projectcalico.org/ipv4pools=[\"blue\"]");
    assertThat(shell.run("annotate", "ns", "shop", "cni.projectcalico.org/ipv4pools=[]").err())
        .contains(
            "Namespace shop has annotation cni.projectcalico.org/ipv4pools=[\"blue\"] already")
        .contains("--overwrite");
    assertThat(shell.run("annotate", "ns", "shop", "cni.projectcalico.org/ipv4pools-").exitCode())
        .isZero();
    assertThat(shell.run("annotate", "ns", "shop", "nothing-").err())
        .contains("Namespace shop has no annotation nothing");
    assertThat(shell.run("annotate", "ns", "elsewhere", "a=b").err())
        .contains("Namespace elsewhere does not exist");
    assertThat(shell.run("get", "ns", "shop", "-o", "yaml").out())
        .contains("apiVersion: v1")
        .doesNotContain("ipv4pools");
  }
}
