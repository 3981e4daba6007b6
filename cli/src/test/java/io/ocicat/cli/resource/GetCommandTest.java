package io.ocicat.cli.resource;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.DatastoreShell;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.testkit.Eventually;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

class GetCommandTest {
  private static final String DOCUMENTS =
      """
      apiVersion: projectcalico.org/v3
      kind: IPPool
      metadata: {name: blue, labels: {rack: a}}
      spec: {cidr: 10.65.0.0/16, natOutgoing: true, ipipMode: Always, nodeSelector: rack == 'a'}
      ---
      apiVersion: projectcalico.org/v3
      kind: IPPool
      metadata: {name: green}
      spec: {cidr: "fd00:65::/64", disabled: true}
      ---
      apiVersion: projectcalico.org/v3
      kind: WorkloadEndpoint
      metadata: {name: node--1-k8s-web-eth0, namespace: shop}
      spec:
        orchestrator: k8s
        node: node-1
        pod: web
        endpoint: eth0
        containerID: 4f1c0d9b77aa
        ipNetworks: [10.65.0.7/32, "fd00:65::7/128"]
        ipNATs: [{internalIP: 10.65.0.7, externalIP: 198.51.100.9}]
        profiles: [kns.shop, ksa.shop.default]
        interfaceName: cali0123456789a
      ---
      apiVersion: projectcalico.org/v3
      kind: Node
      metadata: {name: node-1}
      spec: {bgp: {ipv4Address: 192.0.2.1/24}}
      ---
      apiVersion: projectcalico.org/v3
      kind: Node
      metadata: {name: node-2}
      spec: {bgp: {asNumber: 64999, ipv4Address: 192.0.2.2/24, ipv6Address: "2001:db8::2/64"}}
      ---
      apiVersion: projectcalico.org/v3
      kind: Tier
      metadata: {name: last}
      spec: {order: 900}
      ---
      apiVersion: projectcalico.org/v3
      kind: Tier
      metadata: {name: never}
      ---
      apiVersion: projectcalico.org/v3
      kind: Tier
      metadata: {name: zfirst}
      spec: {order: 5}
      ---
      apiVersion: projectcalico.org/v3
      kind: GlobalNetworkPolicy
      metadata: {name: deny}
      spec: {order: 10.5, selector: has(app)}
      ---
      apiVersion: projectcalico.org/v3
      kind: HostEndpoint
      metadata: {name: node-1-eth0}
      spec: {node: node-1, interfaceName: eth0, expectedIPs: [192.0.2.1], profiles: [infra]}
      ---
      apiVersion: projectcalico.org/v3
      kind: Profile
      metadata: {name: infra}
      spec: {labelsToApply: {role: infra}}
      ---
      apiVersion: projectcalico.org/v3
      kind: IPReservation
      metadata: {name: gateways}
      spec: {reservedCIDRs: [10.65.0.1/32, 10.65.1.0/28]}
      ---
      apiVersion: projectcalico.org/v3
      kind: BGPConfiguration
      metadata: {name: default}
      spec: {asNumber: 63400}
      ---
      apiVersion: projectcalico.org/v3
      kind: BGPPeer
      metadata: {name: tor}
      spec: {peerIP: 192.0.2.254, asNumber: 64567}
      """;

  @TempDir Path directory;
  private DatastoreShell shell = DatastoreShell.embedded(Path.of("/nonexistent"));

  @BeforeEach
  void fill() {
    shell = DatastoreShell.embedded(directory);
    Printed printed = shell.runWith(DOCUMENTS, "apply", "-f", "-");
    assertThat(printed.err()).isEmpty();
  }

  private String table(String... args) {
    Printed printed = shell.run(args);
    assertThat(printed.err()).isEmpty();
    assertThat(printed.exitCode()).isZero();
    return printed.out();
  }

  @Test
  void poolsAreShownAsCalicoctlDoes() {
    assertThat(table("get", "ippools"))
        .isEqualTo(
            """
            NAME    CIDR           SELECTOR
            blue    10.65.0.0/16   rack == 'a'
            green   fd00:65::/64   all()
            """);
    assertThat(table("get", "ippool", "blue", "-o", "wide"))
        .isEqualTo(
            """
            NAME   CIDR           NAT    IPIPMODE   VXLANMODE   DISABLED   DISABLEBGPEXPORT   SELECTOR      ASSIGNMENTMODE
            blue   10.65.0.0/16   true   Always     Never       false      false              rack == 'a'   Automatic
            """);
  }

  @Test
  void endpointsAreShownAsCalicoctlDoes() {
    assertThat(table("get", "wep", "-n", "shop"))
        .isEqualTo(
            """
            NAMESPACE   WORKLOAD   NODE     NETWORKS                      INTERFACE
            shop        web        node-1   10.65.0.7/32,fd00:65::7/128   cali0123456789a
            """);
    assertThat(table("get", "wep", "-A", "-o", "wide"))
        .isEqualTo(
            """
            NAMESPACE   NAME                   WORKLOAD   NODE     NETWORKS                      INTERFACE         PROFILES                    NATS
            shop        node--1-k8s-web-eth0   web        node-1   10.65.0.7/32,fd00:65::7/128   cali0123456789a   kns.shop,ksa.shop.default   10.65.0.7/198.51.100.9
            """);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "node|NAME;node-1;node-2",
        "tier|NAME     ORDER;zfirst   5;last     900;never    1000000",
        "gnp|NAME   TIER;deny   default",
        "hep|NAME          NODE;node-1-eth0   node-1",
        "profiles|NAME;infra;projectcalico-default-allow",
        "reservation|NAME;gateways",
        "bgpconfig|NAME      LOGSEVERITY   MESHENABLED   ASNUMBER;default   Info          -             63400",
        "bgpp|NAME   PEERIP        NODE       ASN;tor    192.0.2.254   (global)   64567"
      })
  void otherKindsHaveCalicoctlsColumns(String kind, String lines) {
    assertThat(table("get", kind)).isEqualTo(lines.replace(';', '\n') + "\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "no|NAME     ASN       IPV4           IPV6;node-1   (63400)   192.0.2.1/24;node-2   64999     192.0.2.2/24   2001:db8::2/64",
        "gnp|NAME   TIER      ORDER   SELECTOR;deny   default   10.5    has(app)",
        "hep|NAME          NODE     INTERFACE   IPS         PROFILES;node-1-eth0   node-1   eth0        192.0.2.1   infra",
        "reservations|NAME       CIDRS;gateways   10.65.0.1/32,10.65.1.0/28"
      })
  void wideTablesHaveMore(String kind, String lines) {
    assertThat(table("get", kind, "-o", "wide")).isEqualTo(lines.replace(';', '\n') + "\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ippool", "IPPool", "ippools", "ipp", "IPPS", "pool", "pools"})
  void aKindHasManyNames(String name) {
    assertThat(table("get", name, "-o", "name")).isEqualTo("ippool/blue\nippool/green\n");
  }

  @Test
  void columnsCanBeChosen() {
    assertThat(table("get", "ippool", "-o", "custom-columns=cidr,NAME,RACK:.metadata.labels.rack"))
        .isEqualTo(
            """
            CIDR           NAME    RACK
            10.65.0.0/16   blue    a
            fd00:65::/64   green
            """);
    Printed unknown = shell.run("get", "ippool", "-o", "custom-columns=COLOUR");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err()).contains("has no column \"COLOUR\": there are NAME, CIDR");
  }

  @Test
  void pathsFindWhatIsAskedFor() {
    assertThat(
            table(
                "get",
                "ippool",
                "-o",
                "jsonpath={range .items[?(@.spec.disabled==true)]}{.metadata.name}: {.spec.cidr}{\"\\n\"}{end}"))
        .isEqualTo("green: fd00:65::/64\n");
    assertThat(table("get", "ippool", "-o", "jsonpath={.items[*].metadata.name}"))
        .isEqualTo("blue green\n");
    assertThat(table("get", "wep", "-A", "-o", "jsonpath={..ipNetworks[-1]}"))
        .isEqualTo("fd00:65::7/128\n");
  }

  @Test
  void oneIsADocumentAllAreAListAndSeveralAnArray() {
    assertThat(table("get", "ippool", "blue", "-o", "yaml"))
        .startsWith("apiVersion: projectcalico.org/v3\nkind: IPPool\nmetadata:\n");
    assertThat(table("get", "ippool", "-o", "yaml"))
        .startsWith(
            "apiVersion: projectcalico.org/v3\nitems:\n- apiVersion: projectcalico.org/v3\n")
        .contains("\nkind: IPPoolList\n");
    assertThat(table("get", "ippool", "blue", "green", "-o", "json"))
        .startsWith("[\n  {\n    \"kind\"");
    assertThat(table("get", "ippool", "-o", "json"))
        .startsWith("{\n  \"kind\": \"IPPoolList\",\n  \"apiVersion\"")
        .isEqualTo(table("get", "ippool", "--json"));
  }

  @Test
  void whatIsShownCanBeAppliedAgain() {
    for (String format : new String[] {"yaml", "json"}) {
      String shown = table("get", "ippool", "-o", format);
      assertThat(shell.runWith(shown, "apply", "-f", "-").out())
          .isEqualTo("Successfully applied 2 'IPPool' resource(s)\n");
    }
  }

  @Test
  void exportLeavesOutWhatOnlyThisDatastoreKnows() {
    assertThat(table("get", "ippool", "blue", "--export", "-o", "jsonpath={.metadata}"))
        .isEqualTo("{\"name\":\"blue\",\"labels\":{\"rack\":\"a\"}}\n");
  }

  @Test
  void selectorsChooseByLabels() {
    assertThat(table("get", "ippool", "-l", "rack == 'a'", "-o", "name"))
        .isEqualTo("ippool/blue\n");
    assertThat(table("get", "ippool", "-l", "!has(rack)", "-o", "name"))
        .isEqualTo("ippool/green\n");
  }

  @Test
  void documentsNameWhatToGet() {
    Printed printed = shell.runWith(DOCUMENTS, "get", "-f", "-", "-o", "name");
    assertThat(printed.out()).startsWith("ippool/blue\nippool/green\nworkloadendpoint/");
  }

  @Test
  void nothingIsSaidOnStandardError() {
    assertThat(shell.run("get", "bgpfilter")).isEqualTo(new Printed(0, "", "no BGPFilter found\n"));
    assertThat(shell.run("get", "netset"))
        .isEqualTo(new Printed(0, "", "no NetworkSet found in namespace default\n"));
  }

  /** Review U18: a script gets a document even when it is empty. */
  @Test
  void nothingIsADocumentToo() {
    for (String format : List.of("-ojson", "--json")) {
      Printed printed = shell.run("get", "bgpfilter", format);
      assertThat(printed.exitCode()).isZero();
      ObjectNode list = StoredJson.parseObject(printed.out());
      assertThat(list.path("kind").asString()).isEqualTo("BGPFilterList");
      assertThat(list.path("apiVersion").asString()).isEqualTo("projectcalico.org/v3");
      assertThat(list.path("items").isArray()).isTrue();
      assertThat(list.path("items")).isEmpty();
    }
    assertThat(shell.run("get", "bgpfilter", "-oyaml").out()).contains("items: []");
    assertThat(shell.run("get", "ippool", "blue", "-l", "has(nothing)", "-ojson"))
        .isEqualTo(new Printed(0, "[]\n", ""));
  }

  @Test
  void whatIsMissingDoesNotHideTheRest() {
    Printed printed = shell.run("get", "ippool", "red", "blue", "-o", "name");
    assertThat(printed)
        .isEqualTo(new Printed(1, "ippool/blue\n", "ocicat: IPPool red does not exist\n"));
  }

  @Test
  void headingsAreBoldOnATerminalOnly() {
    DatastoreShell terminal = new DatastoreShell(shell.environment(), true);
    assertThat(terminal.run("get", "tier").out())
        .startsWith("\u001b[1mNAME     ORDER\u001b[0m\nzfirst   5\n");
  }

  @Test
  void ipamsRecordsAreShown() {
    try (Datastore datastore = EmbeddedStore.openDatastore(directory)) {
      IpPrefix cidr = IpPrefix.parse("10.65.0.0/30");
      datastore.create(
          Resource.of(
              new ResourceKey.Block(cidr),
              StoredJson.parseObject(
                  "{\"cidr\":\"10.65.0.0/30\",\"affinity\":\"host:node-1\",\"allocations\":[0,null,null,null],"
                      + "\"unallocated\":[1,2,3],\"attributes\":[{\"handle_id\":\"h\",\"secondary\":{}}],\"deleted\":false}")));
      datastore.create(
          Resource.of(
              new ResourceKey.Affinity(AffinityType.HOST, "node-1", cidr),
              StoredJson.parseObject("{\"state\":\"confirmed\",\"deleted\":false}")));
      datastore.create(
          Resource.of(
              new ResourceKey.Handle("h"),
              StoredJson.parseObject("{\"block\":{\"10.65.0.0/30\":1},\"deleted\":false}")));
    }
    assertThat(table("get", "ipamblock"))
        .isEqualTo("CIDR           AFFINITY      INUSE\n10.65.0.0/30   host:node-1   1 of 4\n");
    assertThat(table("get", "blockaffinity"))
        .isEqualTo("CIDR           NODE     STATE\n10.65.0.0/30   node-1   confirmed\n");
    assertThat(table("get", "affinities", "host:node-1:10.65.0.0/30", "-o", "yaml"))
        .contains("spec:\n  deleted: false\n  state: confirmed\n");
    assertThat(table("get", "handles")).isEqualTo("NAME   ADDRESSES\nh      1\n");
    Printed refused = shell.run("delete", "ipamblock", "10.65.0.0/30");
    assertThat(refused.err())
        .isEqualTo("ocicat: IPAMBlock cannot be deleted by hand: IPAM keeps it\n");
  }

  @Test
  void whatCannotBeReadIsReportedAndHidesNothing() {
    try (Datastore datastore = EmbeddedStore.openDatastore(directory)) {
      ((KeyValueDatastore) datastore)
          .store()
          .commit(
              Transaction.put("/calico/resources/v3/projectcalico.org/ippools/bad", "{not json"));
    }
    Printed printed = shell.run("get", "ippool", "-o", "name");
    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.out()).isEqualTo("ippool/blue\nippool/green\n");
    assertThat(printed.err()).startsWith("ocicat: IPPool bad cannot be read:").hasLineCount(1);
  }

  @Test
  void changesAreShownAsTheyHappen() throws InterruptedException {
    StringWriter out = new StringWriter();
    Thread watching =
        Thread.ofPlatform().start(() -> shell.runWith("", out, "get", "ippool", "--watch"));
    try {
      awaitIn(out, "ADDED      green");
      assertThat(out.toString()).startsWith("EVENT      NAME    CIDR           SELECTOR\n");
      shell.run("label", "ippool", "blue", "x=y");
      awaitIn(out, "MODIFIED   blue    10.65.0.0/16   rack == 'a'");
      shell.run("delete", "ippool", "blue");
      awaitIn(out, "DELETED    blue");
    } finally {
      watching.interrupt();
      watching.join(Duration.ofSeconds(30));
    }
    assertThat(watching.isAlive()).isFalse();
  }

  private static void awaitIn(StringWriter out, String line) {
    Eventually.await(line, Duration.ofSeconds(30), () -> out.toString().contains("\n" + line));
  }
}
