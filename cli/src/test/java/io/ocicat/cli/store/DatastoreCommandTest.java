package io.ocicat.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.DatastoreShell;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.testkit.Etcd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** check, export, import, migrate, lock and unlock. */
class DatastoreCommandTest {
  private static final String DOCUMENTS =
      """
      {apiVersion: projectcalico.org/v3, kind: Tier, metadata: {name: ops}, spec: {order: 5}}
      ---
      {apiVersion: projectcalico.org/v3, kind: GlobalNetworkPolicy, metadata: {name: ops.deny}, spec: {tier: ops}}
      ---
      {apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: blue}, spec: {cidr: 10.65.0.0/16, blockSize: 30}}
      ---
      {apiVersion: projectcalico.org/v3, kind: Node, metadata: {name: node-1, labels: {a: "1"}}}
      ---
      {apiVersion: projectcalico.org/v3, kind: WorkloadEndpoint, metadata: {name: node--1-k8s-web-eth0, namespace: shop},
       spec: {orchestrator: k8s, node: node-1, pod: web, endpoint: eth0, ipNetworks: [10.65.0.0/32], profiles: [kns.shop],
              interfaceName: cali1}}
      """;
  private static final int RESOURCES = 9;

  @TempDir Path directory;
  private DatastoreShell shell = DatastoreShell.embedded(Path.of("/nonexistent"));

  @BeforeEach
  void fill() {
    shell = DatastoreShell.embedded(directory.resolve("source"));
    assertThat(shell.runWith(DOCUMENTS, "apply", "-f", "-").err()).isEmpty();
    try (Datastore datastore = open("source")) {
      IpPrefix cidr = IpPrefix.parse("10.65.0.0/30");
      create(
          datastore,
          new ResourceKey.Block(cidr),
          "{\"cidr\":\"10.65.0.0/30\",\"affinity\":\"host:node-1\",\"allocations\":[0,null,null,null],"
              + "\"unallocated\":[1,2,3],\"attributes\":[{\"handle_id\":\"net.c1\",\"secondary\":{}}],"
              + "\"sequenceNumber\":1767225600000000004,\"deleted\":false}");
      create(
          datastore,
          ResourceKey.Affinity.ofHost("node-1", cidr),
          "{\"state\":\"confirmed\",\"deleted\":false}");
      create(
          datastore,
          new ResourceKey.Handle("net.c1"),
          "{\"block\":{\"10.65.0.0/30\":1},\"deleted\":false}");
      create(
          datastore,
          new ResourceKey.IpamConfig(),
          "{\"strict_affinity\":true,\"auto_allocate_blocks\":true,\"maxBlocksPerHost\":20}");
    }
  }

  private Datastore open(String name) {
    return EmbeddedStore.openDatastore(directory.resolve(name));
  }

  private static void create(Datastore datastore, ResourceKey key, String json) {
    datastore.create(Resource.of(key, StoredJson.parseObject(json)));
  }

  private DatastoreShell target() {
    return DatastoreShell.embedded(directory.resolve("target"));
  }

  /** Everything a datastore holds, to be compared. */
  private static String contents(DatastoreShell of) {
    return of.run("datastore", "export").out();
  }

  @Test
  void aSoundDatastoreHasNoFindings() {
    assertThat(shell.run("datastore", "check"))
        .isEqualTo(new Printed(0, "", RESOURCES + " resources looked at, 0 findings\n"));
    assertThat(shell.run("datastore", "check", "--json").out())
        .isEqualToIgnoringWhitespace(
            "{\"resources\": %d, \"findings\": [], \"unknownKeys\": {}}".formatted(RESOURCES));
  }

  @Test
  void whatIsUnreadableInvalidOrDanglingIsReported() {
    try (Datastore datastore = open("source")) {
      var store = ((KeyValueDatastore) datastore).store();
      String root = "/calico/resources/v3/projectcalico.org/";
      store.commit(Transaction.put(root + "ippools/torn", "{\"kind\":"));
      store.commit(
          Transaction.put(
              root + "globalnetworksets/bad",
              "{\"kind\":\"GlobalNetworkSet\",\"apiVersion\":\"projectcalico.org/v3\",\"metadata\":{\"name\":\"bad\",\"uid\":\"u\","
                  + "\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{\"nets\":[\"10.0.0.0/99\"]}}"));
      store.commit(Transaction.delete(root + "tiers/ops"));
      store.commit(Transaction.delete("/calico/ipam/v2/assignment/ipv4/block/10.65.0.0-30"));
    }
    shell.runWith(
        "{apiVersion: projectcalico.org/v3, kind: HostEndpoint, metadata: {name: h},"
            + " spec: {node: gone, interfaceName: eth0, profiles: [lost]}}",
        "apply",
        "-f",
        "-");
    Printed printed = shell.run("datastore", "check");
    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.out().lines())
        .hasSize(7)
        .anyMatch(line -> line.startsWith("IPPool torn cannot be read"))
        .anyMatch(line -> line.contains("GlobalNetworkSet bad") && line.contains("spec.nets[0]"))
        .anyMatch(line -> line.contains("spec.tier names Tier ops, which does not exist"))
        .anyMatch(line -> line.contains("spec.node names Node gone, which does not exist"))
        .anyMatch(line -> line.contains("spec.profiles names Profile lost"))
        .anyMatch(
            line -> line.startsWith("BlockAffinity") && line.contains("IPAMBlock 10.65.0.0/30"))
        .anyMatch(line -> line.startsWith("IPAMHandle") && line.contains("IPAMBlock 10.65.0.0/30"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"yaml", "json", "raw"})
  void whatIsExportedCanBeImported(String format) throws IOException {
    Path file = directory.resolve("export");
    Printed exported = shell.run("datastore", "export", "-o", format, "-f", file.toString());
    assertThat(exported.err()).startsWith("exported " + RESOURCES);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    Printed imported = target().run("datastore", "import", "-f", file.toString());
    assertThat(imported.err()).isEmpty();
    assertThat(imported.exitCode()).isZero();
    assertThat(contents(target())).isEqualTo(contents(shell));
  }

  /** Review K3: kinds of a newer Calico, and keys that are of no kind at all. */
  @Test
  void whatNoKindIsKnownOfIsCarriedAsItIsAndNamed() {
    String migration = "/calico/resources/v3/projectcalico.org/livemigrations/shop/vm";
    String value = "{\"kind\":\"LiveMigration\",\"b\":1,\"a\":[ 2 ]}";
    try (Datastore datastore = open("source")) {
      var store = ((KeyValueDatastore) datastore).store();
      store.commit(Transaction.put(migration, value));
      store.commit(Transaction.put("/calico/bgp/v1/host/node-1/x", "plain: text"));
      store.commit(Transaction.put("/calico/ipam/v2/host/node-1", "{}"));
    }
    String names = "bgp/v1 (1), ipam/v2 (1), livemigrations (1)";

    assertThat(shell.run("datastore", "check").err())
        .isEqualTo(
            "3 keys are of kinds that are not known here: %s\n%d resources looked at, 0 findings\n"
                .formatted(names, RESOURCES));
    Printed exported = shell.run("datastore", "export");
    assertThat(exported.err())
        .isEqualTo(
            "exported 3 keys of kinds that are not known here as they are: %s\nexported %d resources\n"
                .formatted(names, RESOURCES));

    Printed imported = target().runWith(exported.out(), "datastore", "import", "-f", "-");
    assertThat(imported.exitCode()).as(imported.err()).isZero();
    assertThat(imported.err()).contains("copied 3 keys").contains(names);
    assertThat(raw("target", migration)).contains(value);

    Printed migrated =
        shell.run(
            "datastore", "migrate", "--to", "embedded:" + directory.resolve("migrated").toString());
    assertThat(migrated.exitCode()).as(migrated.err()).isZero();
    assertThat(migrated.err()).contains("copied 3 keys").contains(names);
    assertThat(raw("migrated", migration)).contains(value);
    assertThat(raw("migrated", "/calico/ipam/v2/host/node-1")).contains("{}");
  }

  private Optional<String> raw(String name, String key) {
    try (Datastore datastore = open(name)) {
      return ((KeyValueDatastore) datastore).store().get(key).map(KeyValue::value);
    }
  }

  @Test
  void halfAnExportIsRefused() {
    String whole = contents(shell);
    String half = whole.substring(0, whole.lastIndexOf("---"));
    Printed printed = target().runWith(half, "datastore", "import", "-f", "-");
    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.err()).contains("this is not a whole export").hasLineCount(1);
    String gap = whole.replaceFirst("(?s)---\\n.*?---\\n", "---\n");
    assertThat(target().runWith(gap, "datastore", "import", "-f", "-").err())
        .contains("it has 8 resources and should have 9");
    assertThat(contents(target())).doesNotContain("IPPool");
  }

  @Test
  void aTargetThatHoldsSomethingIsOnlyMergedInto() {
    String whole = contents(shell);
    String other =
        "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: green}, spec: {cidr: 10.66.0.0/16}}";
    target().runWith(other, "apply", "-f", "-");
    Printed refused = target().runWith(whole, "datastore", "import", "-f", "-");
    assertThat(refused.err())
        .isEqualTo(
            "ocicat: the target holds 1 resources already: use an empty one, or --merge to keep them\n");
    Printed merged = target().runWith(whole, "datastore", "import", "--merge", "-f", "-");
    assertThat(merged.out()).isEqualTo("imported 9 resources, 0 were there already\n");
    assertThat(target().runWith(whole, "datastore", "import", "--merge", "-f", "-").out())
        .isEqualTo("imported 0 resources, 9 were there already\n");
    target().run("label", "node", "node-1", "a=2", "--overwrite");
    Printed differs = target().runWith(whole, "datastore", "import", "--merge", "-f", "-");
    assertThat(differs.exitCode()).isEqualTo(1);
    assertThat(differs.err())
        .isEqualTo(
            "ocicat: Node node-1 is another one in the target: delete one of the two\nocicat: nothing was copied\n");
  }

  @Test
  void locksAndUnlocks() {
    assertThat(shell.run("datastore", "lock").out()).isEqualTo("Datastore locked.\n");
    assertThat(ready(shell)).isEqualTo("false");
    assertThat(shell.run("datastore", "unlock").out()).isEqualTo("Datastore unlocked.\n");
    assertThat(ready(shell)).isEqualTo("true");
  }

  private static String ready(DatastoreShell of) {
    return of.run("get", "clusterinfo", "default", "-o", "jsonpath={.spec.datastoreReady}")
        .out()
        .strip();
  }

  @Test
  void migratesToEtcdAndBack() throws IOException {
    try (Etcd etcd = new Etcd().start()) {
      Path config = directory.resolve("etcd.cfg");
      Files.writeString(
          config,
          "{apiVersion: projectcalico.org/v3, kind: CalicoAPIConfig, spec: {etcdEndpoints: \"%s\"}}"
              .formatted(etcd.url()));
      Printed there = shell.run("datastore", "migrate", "--to", config.toString());
      assertThat(there.err().lines())
          .as("nothing but the progress, from the first second on")
          .allMatch(line -> line.matches("(copying|comparing) resources: \\d+ of \\d+"));
      assertThat(there.exitCode()).isZero();
      assertThat(there.out())
          .contains("9 resources compared, all are the same; 9 were copied")
          .containsPattern("WorkloadEndpoint +1\n");
      assertThat(ready(shell)).isEqualTo("false");
      assertThat(ready(DatastoreShell.etcd(etcd.url()))).isEqualTo("true");

      Printed back =
          shell.run(
              "datastore",
              "migrate",
              "--from",
              config.toString(),
              "--to",
              "embedded:" + directory.resolve("target"));
      assertThat(back.exitCode()).as(back.err()).isZero();
      assertThat(contents(target()).replace("datastoreReady: true", "datastoreReady: false"))
          .isEqualTo(contents(shell));
    }
  }

  @Test
  void anInterruptedMigrationGoesOn() {
    String to = "embedded:" + directory.resolve("target");
    shell.run("datastore", "lock");
    String guid =
        shell
            .run("get", "clusterinfo", "default", "-o", "jsonpath={.spec.clusterGUID}")
            .out()
            .strip();
    // As it is left by one that was killed after its first document.
    try (Datastore source = open("source");
        Datastore half = open("target")) {
      half.create(
          source
              .get(ReadyFlag.KEY)
              .withRevision("")
              .edit(
                  tree ->
                      tree.withObject("metadata")
                          .withObject("annotations")
                          .put("ocicat.io/migrating-from", guid)));
      half.create(
          source
              .get(ResourceKey.of(io.ocicat.datastore.resource.Kind.TIER, "ops"))
              .withRevision(""));
    }
    Printed printed = shell.run("datastore", "migrate", "--to", to);
    assertThat(printed.exitCode()).as(printed.err()).isZero();
    assertThat(printed.err()).isEqualTo("resuming an interrupted migration\n");
    assertThat(printed.out()).contains("9 resources compared, all are the same; 8 were copied");
  }

  @Test
  void aTargetOfOthersIsRefusedAndTheSourceStaysInUse() {
    String other =
        "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: green}, spec: {cidr: 10.66.0.0/16}}";
    target().runWith(other, "apply", "-f", "-");
    Printed printed =
        shell.run("datastore", "migrate", "--to", "embedded:" + directory.resolve("target"));
    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.err()).startsWith("ocicat: the target holds 1 resources already");
    assertThat(ready(shell)).isEqualTo("true");
    assertThat(
            shell
                .run("datastore", "migrate", "--to", "embedded:" + directory.resolve("source"))
                .err())
        .isEqualTo("ocicat: source and target are the same datastore\n");
  }
}
