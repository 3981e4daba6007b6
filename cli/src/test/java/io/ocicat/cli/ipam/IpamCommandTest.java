package io.ocicat.cli.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.Shell;
import io.ocicat.cni.CniJson;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class IpamCommandTest {
  private static final String POOLS =
      """
      {apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: blue}, spec: {cidr: 10.65.0.0/24, blockSize: 28}}
      ---
      {apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: red}, spec: {cidr: "fd00:65::/48"}}
      ---
      {apiVersion: projectcalico.org/v3, kind: Node, metadata: {name: node-1}, spec: {ipv4VXLANTunnelAddr: 10.65.0.1}}
      ---
      {apiVersion: projectcalico.org/v3, kind: Node, metadata: {name: node-2}}
      """;

  @TempDir Path directory;
  private IpamShell ipam = IpamShell.in(Path.of("/nonexistent"));

  /** A tunnel, a pod, a pod whose address node-2 borrowed, and a leaked address. */
  @BeforeEach
  void fill() {
    ipam = IpamShell.in(directory.resolve("state"));
    ipam.apply(POOLS);
    ipam.assign(
        "10.65.0.1",
        "vxlan-tunnel-addr-node-1",
        "node-1",
        Map.of("node", "node-1", "type", "vxlanTunnelAddress"));
    ipam.assign("10.65.0.2", "net.c1", "node-1", "shop", "cart");
    ipam.assign("10.65.0.3", "net.c2", "node-2", "shop", "till");
    ipam.assign("10.65.0.4", "net.c3", "node-1", "shop", "gone");
    ipam.endpoint("node-1", "cart", "10.65.0.2/32");
    ipam.endpoint("node-2", "till", "10.65.0.3/32");
  }

  @Test
  void showPrintsHowMuchOfEachPoolIsInUse() {
    assertThat(ipam.run("show").out())
        .isEqualTo(
            """
            +----------+--------------+------------+------------+-------------------+
            | GROUPING |     CIDR     | IPS TOTAL  | IPS IN USE |     IPS FREE      |
            +----------+--------------+------------+------------+-------------------+
            | IP Pool  | 10.65.0.0/24 |        256 | 4 (2%)     | 252 (98%)         |
            | IP Pool  | fd00:65::/48 | 1.2089e+24 | 0 (0%)     | 1.2089e+24 (100%) |
            +----------+--------------+------------+------------+-------------------+
            """);
  }

  @Test
  void showPrintsBlocks() {
    assertThat(ipam.run("show", "--show-blocks").out())
        .contains("| Block    | 10.65.0.0/28 |         16 | 4 (25%)    | 12 (75%)          |");
    JsonNode block = ipam.json("show", "--show-blocks", "--json").at("/pools/0/blocks/0");
    assertThat(block.path("affinity").asString()).isEqualTo("host:node-1");
    assertThat(block.path("inUse").asInt()).isEqualTo(4);
    assertThat(block.path("borrowed").asInt()).isEqualTo(1);
  }

  @Test
  void showPrintsWhoHasAnAddress() {
    assertThat(ipam.run("show", "--ip=10.65.0.2").out())
        .isEqualTo(
            """
            IP 10.65.0.2 is in use
            Handle ID: net.c1
            Active Owner Attributes:
              namespace: shop
              node: node-1
              pod: cart
              timestamp: 2026-01-01 00:00:01.5 +0000 UTC
            """);
    assertThat(ipam.run("show", "--ip=10.65.0.9").out()).isEqualTo("10.65.0.9 is not assigned\n");
    assertThat(ipam.json("show", "--ip=10.65.0.2", "--json").at("/attributes/pod").asString())
        .isEqualTo("cart");
    Shell.Printed bad = ipam.run("show", "--ip=10.65.0");
    assertThat(bad.exitCode()).isEqualTo(2);
    assertThat(bad.err()).contains("\"10.65.0\" is not an IP address");
  }

  @Test
  void showPrintsWhatIsBorrowed() {
    assertThat(ipam.run("show", "--show-borrowed").out())
        .isEqualTo(
            """
            +-----------+----------------+--------------+-------------+------+--------------+
            |    IP     | BORROWING-NODE |    BLOCK     | BLOCK OWNER | TYPE | ALLOCATED-TO |
            +-----------+----------------+--------------+-------------+------+--------------+
            | 10.65.0.3 | node-2         | 10.65.0.0/28 | node-1      | pod  | shop/till    |
            +-----------+----------------+--------------+-------------+------+--------------+
            """);
    assertThat(ipam.json("show", "--show-borrowed", "--json").at("/borrowed/0/node").asString())
        .isEqualTo("node-2");
  }

  @Test
  void theMapHasOneSignForEachAddress() throws IOException {
    assertThat(ipam.run("show", "--map").out())
        .contains("pool blue 10.65.0.0/24: 4 of 256 in use, 1 blocks", ".@#b#...........");
    assertThat(ipam.json("show", "--map", "--json").at("/blocks/0/cells").asString())
        .isEqualTo(".@#b#...........");

    Path svg = directory.resolve("map.svg");
    assertThat(ipam.run("show", "--map", "--svg", svg.toString()).exitCode()).isZero();
    assertThat(Files.readString(svg))
        .startsWith("<svg xmlns=")
        .contains("pool blue 10.65.0.0/24", "#d69e2e")
        .endsWith("</svg>\n");
  }

  @Test
  void onlyOneThingIsShownAtATime() {
    Shell.Printed printed = ipam.run("show", "--show-blocks", "--show-borrowed");
    assertThat(printed.exitCode()).isEqualTo(2);
    assertThat(printed.err()).contains("only one of");
  }

  @Test
  void settingsAreShownAndChanged() {
    assertThat(ipam.run("show", "--show-configuration").out())
        .contains(
            "| StrictAffinity               | false   |",
            "| AutoAllocateBlocks           | true    |");
    assertThat(ipam.run("configure", "--strictaffinity=T", "--max-blocks-per-host=4").out())
        .isEqualTo(
            """
            Successfully set StrictAffinity to: true
            Successfully set MaxBlocksPerHost to: 4
            """);
    JsonNode settings = ipam.json("show", "--show-configuration", "--json");
    assertThat(settings.path("strictAffinity").asBoolean()).isTrue();
    assertThat(settings.path("maxBlocksPerHost").asInt()).isEqualTo(4);
    ipam.run("configure", "--kubevirt-ip-persistence=Disabled");
    assertThat(ipam.run("show", "--show-configuration").out()).contains("Disabled");
  }

  /** Review K2. */
  @Test
  void addressesThatCoolDownAreConfiguredShownAndNoProblem() {
    assertThat(ipam.run("configure", "--ip-cooldown-seconds=60").out())
        .isEqualTo("Successfully set IPCooldownSeconds to: 60\n");
    ipam.run("configure", "--strictaffinity=true");
    assertThat(ipam.run("show", "--show-configuration").out())
        .contains("| IPCooldownSeconds            |      60 |");
    assertThat(
            ipam.json("show", "--show-configuration", "--json").path("ipCooldownSeconds").asInt())
        .isEqualTo(60);

    String before = ipam.run("check").out();
    ipam.run("release", "--ip=10.65.0.4", "--force");
    assertThat(before).doesNotContain("in cooldown");
    assertThat(ipam.run("check").out()).contains(", 1 in cooldown");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "configure | 2 | say what to change",
        "configure --strictaffinity=perhaps | 2 | must be true or false",
        "configure --kubevirt-ip-persistence=yes | 2 | must be Enabled or Disabled",
        "configure --max-blocks-per-host=4 | 1 | strict",
        "configure --ip-cooldown-seconds=1201 | 1 | must be 0–1200",
        "split 3 --name=blue | 2 | 2, 4, 8",
        "split 2 | 2 | --cidr or by --name",
        "split 2 --name=blue | 1 | not locked",
        "release | 2 | --ip or --from-report",
        "release --ip=10.65.0.9 | 1 | is not assigned",
        "release --ip=10.65.0.2 | 1 | is used by Workload(shop/node--1-k8s-cart-eth0)",
        "release --from-report=/nonexistent | 1 | cannot be read",
        "why | 2 | IP",
        "why nonsense | 1 | is not an IP address, and no pod or container of that name has one",
      })
  void whatCannotBeDoneIsSaidInOneLine(String args, int exitCode, String message) {
    Shell.Printed printed = ipam.run(args.split(" ", -1));

    assertThat(printed.exitCode()).isEqualTo(exitCode);
    assertThat(printed.err()).contains(message).hasLineCount(1);
  }

  @Test
  void checkFindsUnusedAddresses() {
    Shell.Printed printed = ipam.run("check");

    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.out())
        .contains(
            "1 blocks, 4 handles, 4 addresses assigned, 3 used",
            "leaked address: address 10.65.0.4: it is assigned to handle net.c3 on node node-1",
            "Check complete; found 1 problems.");
  }

  @Test
  void checkRepairsWhatIsSafe() {
    ipam.create(
        new ResourceKey.Handle("net.orphan"), "{\"block\":{\"10.65.0.0/28\":1},\"deleted\":false}");
    ipam.with(
        datastore ->
            datastore.update(
                datastore
                    .get(new ResourceKey.Handle("net.c1"))
                    .edit(tree -> tree.withObject("/block").put("10.65.0.0/28", 7))));

    assertThat(ipam.run("check").out())
        .contains(
            "orphan handle: handle net.orphan", "wrong count: handle net.c1", "--fix repairs");
    assertThat(ipam.run("check", "--fix").out())
        .contains("Check complete; found 1 problems, repaired 2.");
    assertThat(ipam.run("check").out())
        .doesNotContain("orphan", "wrong count")
        .contains("leaked address");
  }

  @Test
  void aReportIsReleasedWhileTheDatastoreIsLocked() {
    ipam.create(
        new ResourceKey.Handle("net.orphan"), "{\"block\":{\"10.65.0.0/28\":1},\"deleted\":false}");
    String report = directory.resolve("report.json").toString();
    ipam.lock();
    ipam.run("check", "-o", report);

    Shell.Printed released = ipam.run("release", "--from-report=" + report);

    assertThat(released.err()).isEmpty();
    assertThat(released.out()).startsWith("Released 1 addresses (0 were free already");
    assertThat(ipam.run("show", "--ip=10.65.0.4").out()).contains("is not assigned");
    assertThat(ipam.run("check").exitCode()).isZero();
  }

  @Test
  void theReportIsCalicoctls() throws IOException {
    ipam.lock();
    Path file = directory.resolve("report.json");
    ipam.run("check", "-o", file.toString());

    JsonNode report = CniJson.parse(Files.readString(file));

    assertThat(report.propertyNames())
        .containsExactly(
            "version",
            "writtenBy",
            "clusterGUID",
            "datastoreLocked",
            "clusterInformationRevision",
            "clusterType",
            "allocations");
    assertThat(report.path("datastoreLocked").asBoolean()).isTrue();
    JsonNode leaked = report.at("/allocations/10.65.0.4/0");
    assertThat(leaked.propertyNames())
        .containsExactly(
            "ip",
            "handle",
            "sequenceNumber",
            "pod",
            "namespace",
            "node",
            "creationTimestamp",
            "inUse",
            "owners");
    assertThat(leaked.path("inUse").asBoolean()).isFalse();
    assertThat(report.at("/allocations/10.65.0.3/0/borrowed").asBoolean()).isTrue();
  }

  /** calicoctl accepts no other version than its own, which is the cluster's (review K15). */
  @Test
  void theReportHasTheVersionThatCalicoctlAsksFor() throws IOException {
    Path file = directory.resolve("report.json");
    ipam.run("check", "-o", file.toString());
    assertThat(CniJson.parse(Files.readString(file)).path("version").asString(""))
        .isEqualTo("ocicat");

    ipam.run("check", "-o", file.toString(), "--calicoctl-version=v3.31.2");
    assertThat(CniJson.parse(Files.readString(file)).path("version").asString(""))
        .isEqualTo("v3.31.2");

    ipam.lock();
    ipam.with(
        datastore ->
            datastore.update(
                datastore
                    .get(ResourceKey.of(Kind.CLUSTER_INFORMATION, "default"))
                    .edit(it -> it.withObject("/spec").put("calicoVersion", "v3.32.0"))));
    ipam.run("check", "-o", file.toString());
    assertThat(CniJson.parse(Files.readString(file)).path("version").asString(""))
        .isEqualTo("v3.32.0");
    assertThat(ipam.run("release", "--from-report=" + file).out()).startsWith("Released 1 ");
  }

  /** calicoctl writes addresses in cooldown as not used; they are not leaked (review K2, K15). */
  @Test
  void whatCalicoctlCallsCoolingDownIsNotReleased() throws IOException {
    ipam.lock();
    Path file = directory.resolve("report.json");
    ipam.run("check", "-o", file.toString());
    Files.writeString(
        file,
        Files.readString(file)
            .replaceFirst("\"inUse\": false", "\"inUse\": false, \"coolingDown\": true"));

    assertThat(ipam.run("release", "--from-report=" + file).out()).startsWith("Released 0 ");
  }

  @Test
  void aReportThatIsStaleOrOfAnotherClusterIsRefused() throws IOException {
    Path file = directory.resolve("report.json");
    ipam.lock();
    ipam.run("check", "-o", file.toString());
    String release = "--from-report=" + file;
    ipam.shell().run("datastore", "unlock");
    assertThat(ipam.run("release", release).err()).contains("the reports are stale");

    String text = Files.readString(file);
    Files.writeString(file, text.replace("\"clusterGUID\": \"", "\"clusterGUID\": \"x"));
    assertThat(ipam.run("release", release, "--force").err()).contains("of another cluster");
    Files.writeString(file, "{}");
    assertThat(ipam.run("release", release).err()).contains("has no \"allocations\"");
    Files.writeString(file, "garbage");
    assertThat(ipam.run("release", release).err()).contains("is not a report");
    assertThat(ipam.run("show", "--ip=10.65.0.4").out()).contains("is in use");
  }

  @Test
  void anAddressThatWasAllocatedAgainSinceTheReportStays() {
    ipam.lock();
    String report = directory.resolve("report.json").toString();
    ipam.run("check", "-o", report);
    ipam.run("release", "--ip=10.65.0.4");
    ipam.assign("10.65.0.4", "net.c3", "node-1", "shop", "new");

    Shell.Printed released = ipam.run("release", "--from-report=" + report);

    assertThat(released.exitCode()).isEqualTo(1);
    assertThat(ipam.run("show", "--ip=10.65.0.4").out()).contains("pod: new");
  }

  @Test
  void anAddressIsReleased() {
    assertThat(ipam.run("release", "--ip=10.65.0.4").out())
        .isEqualTo("Successfully released IP address 10.65.0.4\n");
    assertThat(ipam.run("release", "--ip=10.65.0.2", "--force").exitCode()).isZero();
    assertThat(ipam.run("check").out())
        .contains("unassigned address: address 10.65.0.2: it is in use but not assigned");
  }

  @Test
  void aPoolIsSplit() {
    ipam.lock();

    Shell.Printed printed = ipam.run("split", "4", "--name=blue");

    assertThat(printed.err()).isEmpty();
    ipam.with(
        datastore ->
            assertThat(datastore.list(ResourceQuery.of(Kind.IP_POOL)).items())
                .extracting(pool -> pool.key().name() + " " + pool.text("spec", "cidr").orElse(""))
                .containsExactlyInAnyOrder(
                    "red fd00:65::/48",
                    "split-blue-0 10.65.0.0/26",
                    "split-blue-1 10.65.0.64/26",
                    "split-blue-2 10.65.0.128/26",
                    "split-blue-3 10.65.0.192/26"));
    assertThat(ipam.run("show", "--ip=10.65.0.2").out()).contains("is in use");
    assertThat(ipam.run("split", "32", "--cidr=10.65.0.0/26").err())
        .contains("blocks of /28: it can be split into 4 pools at most");
    assertThat(ipam.run("split", "2", "--name=blue").err()).contains("there is no pool blue");
  }

  @Test
  void whyExplainsAnAddress() {
    assertThat(ipam.run("why", "10.65.0.3").out())
        .contains(
            "pool:           blue (10.65.0.0/24)",
            "block:          10.65.0.0/28 of host:node-1",
            "handle:         net.c2",
            "pod:            shop/till",
            "node:           node-2, which borrows it",
            "since:          2026-01-01 00:00:01.5 +0000 UTC",
            "used by:        Workload(shop/node--2-k8s-till-eth0)",
            "verdict:        in use");
    assertThat(ipam.run("why", "10.65.0.4").out())
        .contains("verdict:        assigned, and no endpoint");
    assertThat(ipam.why(Set.of(), "10.65.0.9")).contains("verdict:        free: nobody has it");
    assertThat(ipam.why(Set.of(IpAddress.parse("10.65.0.9")), "10.65.0.9"))
        .contains("this machine:   Interface(", "verdict:        in use on this machine");
    JsonNode json = ipam.json("why", "10.65.0.3", "--json");
    assertThat(json.path("usedBy").asString()).startsWith("Workload(");
    assertThat(json.at("/attributes/pod").asString()).isEqualTo("till");
  }

  /** Review U5, U20. */
  @Test
  void whyLooksAtLeasesOfHostLocalAndTakesPods(@TempDir Path folder) throws IOException {
    Path conf = Files.createDirectories(folder.resolve("net.d"));
    Files.writeString(
        conf.resolve("10-green.conflist"),
        """
        {"cniVersion":"1.0.0","name":"green","plugins":[{"type":"bridge",
         "ipam":{"type":"host-local","subnet":"10.65.7.0/24","dataDir":"%s"}}]}
        """
            .formatted(folder.resolve("leases")));
    Path leases = Files.createDirectories(folder.resolve("leases/green"));
    Files.writeString(leases.resolve("10.65.7.2"), "c7\r\neth0");
    Path results = Files.createDirectories(folder.resolve("cache/results"));
    Files.writeString(
        results.resolve("green-c7-eth0"),
        """
        {"kind":"cniCacheV1","containerId":"c7","ifName":"eth0","networkName":"green",
         "netns":"/run/netns/none","config":"e30=",
         "cniArgs":[["K8S_POD_NAMESPACE","shop"],["K8S_POD_NAME","web"]],
         "result":{"cniVersion":"1.0.0","ips":[{"address":"10.65.7.2/24"}]}}
        """);
    String[] dirs = {"--conf-dir=" + conf, "--cache-dir=" + folder.resolve("cache")};

    assertThat(ipam.run("why", "10.65.7.2", dirs[0], dirs[1]).out())
        .contains(
            "Attachment(shop/web (c7/eth0) on network green", "Lease(host-local, network green")
        .contains("verdict:        in use on this machine")
        .doesNotContain("free");
    assertThat(ipam.run("why", "shop/web", dirs[0], dirs[1]).out())
        .contains("address:        10.65.7.2");
    assertThat(ipam.run("why", "till", dirs[0], dirs[1]).out())
        .contains("address:        10.65.0.3", "pod:            shop/till");
  }

  @Test
  void blocksInNoPoolAreShownWithTheOthers() {
    ipam.with(
        datastore -> {
          try {
            datastore.delete(ResourceKey.of(Kind.IP_POOL, "blue"), null);
          } catch (NotFoundException e) {
            throw new AssertionError(e);
          }
        });

    assertThat(ipam.run("show").out()).doesNotContain("10.65");
    assertThat(ipam.run("show", "--show-blocks").out()).contains("| Block    | 10.65.0.0/28 |");
    assertThat(ipam.run("show", "--map").out()).contains("blocks in no pool");
    assertThat(ipam.run("why", "10.65.0.2").out()).contains("pool:           none");
  }

  @Test
  void gcLooksTwiceAndReleasesWhatIsDeadAndOfNodesThatAreGone() {
    ipam.assign("10.65.0.100", "net.c9", "node-9", "shop", "lost");
    ipam.create(
        new ResourceKey.Handle("net.orphan"), "{\"block\":{\"10.65.0.0/28\":1},\"deleted\":false}");

    assertThat(ipam.gc(Set.of(), "--node=node-1", "--dry-run"))
        .contains("10.65.0.4 of handle net.c3 looks dead", "net.orphan");
    assertThat(ipam.run("show", "--ip=10.65.0.4").out()).contains("is in use");

    assertThat(ipam.gc(Set.of(), "--node=node-1", "--grace=0"))
        .contains("released 10.65.0.4", "released 10.65.0.100", "repaired handle net.orphan");
    assertThat(ipam.run("check").exitCode()).isZero();
    for (String alive : new String[] {"10.65.0.1", "10.65.0.2", "10.65.0.3"}) {
      assertThat(ipam.run("show", "--ip=" + alive).out()).contains("is in use");
    }
  }

  @Test
  void whatAnInterfaceHasIsAliveForGc() {
    assertThat(
            ipam.gc(Set.of(IpAddress.parse("10.65.0.4")), "--node=node-1", "--grace=0", "--json"))
        .contains("\"released\": []");
  }

  @Test
  void gcRefusesToGuessWhichNodesAreGone() {
    Shell.Printed printed = ipam.run("gc", "--node=stranger", "--grace=0");

    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.err()).contains("knows no node \"stranger\"");
    assertThat(ipam.run("show", "--ip=10.65.0.4").out()).contains("is in use");
  }
}
