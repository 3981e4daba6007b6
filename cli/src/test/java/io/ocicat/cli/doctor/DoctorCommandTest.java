package io.ocicat.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.BootId;
import io.ocicat.cli.LiveDaemon;
import io.ocicat.cli.Shell;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.cni.CniJson;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@Hosts
class DoctorCommandTest {
  @TempDir private Path directory;
  private StateFolders folders = new StateFolders(Path.of("/nowhere"), Path.of("/nowhere"));
  private Path home = Path.of("/nowhere");

  @BeforeEach
  void aMachineThatIsWell() throws IOException {
    folders = LiveDaemon.folders(directory);
    home = LiveDaemon.home(directory);
    Files.createDirectories(directory.resolve("net.d"));
    Files.createDirectories(directory.resolve("etc"));
    conf("10-blue.conflist", "blue", "bridge");
    folders.create();
  }

  @Test
  void aMachineThatIsWellHasNoProblem() {
    Printed doctor = doctor();

    assertThat(doctor.exitCode()).isZero();
    assertThat(doctor.out()).doesNotContain("problem ", "warning ").endsWith("nothing is wrong\n");
  }

  @Test
  void noNetworkIsAProblem() throws IOException {
    Files.delete(directory.resolve("net.d/10-blue.conflist"));

    assertThat(doctor().exitCode()).isEqualTo(1);
    assertThat(doctor().out())
        .contains("problem  networks: there is no network in", "why: ", "do:  write a conflist");
  }

  @Test
  void aFileThatCannotBeReadAndAPluginThatIsMissingAreNamed() throws IOException {
    Files.writeString(directory.resolve("net.d/05-bad.conflist"), "{");
    conf("20-red.conflist", "red", "frobnicate");

    assertThat(doctor().out())
        .contains("05-bad.conflist")
        .contains("frobnicate")
        .contains("10-blue.conflist is first");
    assertThat(doctor().exitCode()).isEqualTo(1);
  }

  @Test
  void aFirstNetworkWithExternalPluginsIsReported() throws IOException {
    Files.writeString(home.resolve("cni/cilium-cni"), "theirs");
    conf("05-cilium.conflist", "cilium", "cilium-cni");

    assertThat(doctor().out())
        .contains("warning  networks: the first network", "plugins that are not ours: cilium-cni");
  }

  @Test
  void whatOthersCanChangeIsAProblem() throws IOException {
    mode(home.resolve("cni"), "rwxrwxrwx");

    assertThat(doctor().out()).contains("cni can be changed by users other than root (rwxrwxrwx");
    assertThat(doctor().exitCode()).isEqualTo(1);
  }

  @Test
  void aMissingPluginDirectoryIsAProblem() {
    assertThat(doctor("--cni-path", "/nowhere/bin").out())
        .contains("problem  plugins: /nowhere/bin is no directory");
  }

  @Test
  void ourFoldersAreClosedAgain() throws IOException {
    mode(folders.run(), "rwxr-xr-x");

    assertThat(doctor().exitCode()).isEqualTo(1);
    assertThat(doctor().out()).contains("has mode rwxr-xr-x, not rwx------");
    assertThat(doctor("--fix").exitCode()).isZero();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folders.run())))
        .isEqualTo("rwx------");
  }

  @Test
  void aCallThatWasKilledIsUndone(Host host, Host pod) {
    DaemonState state = attach(host, pod);
    Kept kept = state.attachments().list().getFirst();
    state.journal().write(kept.name(), kept.record());
    state.attachments().remove(kept.name());

    assertThat(doctor().out()).contains("leaks: bridge for c1/eth0 was killed in the middle");
    assertThat(pod.exec("ip", "link").stdout()).contains("eth0");
    assertThat(doctor("--fix").out()).contains("=>   fixed");
    assertThat(pod.exec("ip", "link").stdout()).doesNotContain("eth0");
    assertThat(state.journal().names()).isEmpty();
    assertThat(doctor().out()).endsWith("nothing is wrong\n");
  }

  @Test
  void anAttachmentWhoseNamespaceIsGoneIsRemoved(Host host, Host pod) {
    DaemonState state = attach(host, pod);
    pod.close();
    Eventually.await(
        "the link's end", () -> !host.exec("ip", "link").stdout().contains("/c1/eth0"));

    assertThat(doctor().out()).contains("leaks: c1/eth0 exists by bridge");
    doctor("--fix");

    assertThat(state.attachments().names()).isEmpty();
    assertThat(directory.resolve("leases/blue/10.77.0.2")).doesNotExist();
  }

  @Test
  void whatExistsIsLeftAlone(Host host, Host pod) {
    DaemonState state = attach(host, pod);

    assertThat(doctor("--fix").out()).doesNotContain("leaks", "fixed");
    assertThat(state.attachments().names()).hasSize(1);
    assertThat(pod.exec("ip", "link").stdout()).contains("eth0");
  }

  @Test
  void whatIsLeftOfAnEarlierBootWaitsWhileTheAttachmentIsInUseAgain(Host host, Host pod) {
    DaemonState state = attach(host, pod);
    Kept kept = state.attachments().list().getFirst();
    CallRecord now = kept.record();
    CallRecord before =
        new CallRecord(
            new BootId(new UUID(1, 2)),
            now.unixMillis(),
            now.hostNetns(),
            now.netns(),
            now.plugin(),
            now.environment(),
            now.stdin(),
            now.result());
    String second = state.nameOfSecond(kept.name(), 7);
    state.attachments().write(second, before);

    assertThat(doctor("--fix").out()).doesNotContain("leaks", "fixed");
    assertThat(state.attachments().names()).containsExactly(kept.name(), second);
    assertThat(directory.resolve("leases/blue/10.77.0.2")).exists();

    state.attachments().remove(kept.name());
    pod.exec("ip", "link", "delete", "eth0");
    assertThat(doctor("--fix").out()).contains("leaks: c1/eth0 exists by bridge", "fixed");
    assertThat(state.attachments().names()).isEmpty();
    assertThat(directory.resolve("leases/blue/10.77.0.2")).doesNotExist();
  }

  @Test
  void anIncompleteRecordIsRemovedOnceNoWriterIsLeft() throws IOException {
    DaemonState state = new DaemonState(folders, BootId.current());
    Path half = Files.writeString(state.journal().path().resolve("abc"), "half");

    assertThat(doctor("--fix").out()).doesNotContain("complete record");
    Files.setLastModifiedTime(half, FileTime.from(Instant.now().minusSeconds(60)));
    assertThat(doctor("--fix").out()).contains("abc is not a complete record");
    assertThat(half).doesNotExist();
  }

  @Test
  void deferredDelsAreReported(Host host, Host pod) {
    DaemonState state = attach(host, pod);
    CallRecord record = state.attachments().list().getFirst().record();
    state.spool().write("x", record);

    assertThat(doctor().out())
        .contains("DEL by bridge for c1/eth0 could not be finished yet", "start ocicatd");
  }

  @Test
  void leasesOfUnknownContainersAreReported(Host host, Host pod) throws IOException {
    attach(host, pod);
    assertThat(doctor().out()).doesNotContain("leases");

    Files.writeString(directory.resolve("leases/blue/10.77.0.9"), "ghost\r\neth0");

    assertThat(doctor().out())
        .contains("1 addresses of network blue are leased to unknown containers")
        .contains("10.77.0.9 (ghost)");
    assertThat(doctor().exitCode()).isZero();
  }

  @Test
  void linksOfUnknownContainersAreReported(Host host) throws Exception {
    host.exec("ip", "link", "add", "veth77", "type", "veth", "peer", "name", "veth78");
    host.exec("ip", "link", "set", "veth77", "alias", "cni:blue/ghost/eth0");
    host.exec("ip", "link", "set", "veth78", "alias", "cni:blue/known/eth0");
    AllAttachments known = new AllAttachments(Set.of(), Set.of("blue/known/eth0"));

    List<DoctorFinding> findings;
    try (NetNs there = NetNs.open(host.path())) {
      findings = there.call(() -> new OrphanLinksCheck(known).run());
    }

    assertThat(findings)
        .singleElement()
        .satisfies(
            finding ->
                assertThat(finding.what()).contains("veth77 (cni:blue/ghost/eth0)", "1 links"));
  }

  @Test
  void disabledForwardingIsAProblemOnceThereAreAttachments(Host host) throws Exception {
    try (NetNs there = NetNs.open(host.path())) {
      assertThat(there.call(() -> new SysctlCheck(0).run()))
          .noneMatch(finding -> finding.severity() == DoctorFinding.Severity.PROBLEM);
      assertThat(there.call(() -> new SysctlCheck(1).run()))
          .anyMatch(finding -> finding.what().equals("net.ipv4.ip_forward is 0"))
          .anyMatch(finding -> finding.severity() == DoctorFinding.Severity.PROBLEM);
    }
  }

  @Test
  void programsThatChangeTheNetworkAreReported() throws IOException {
    for (String program : List.of("firewalld", "systemd-network", "NetworkManager")) {
      Path process = directory.resolve("proc/" + (100 + program.length()));
      Files.createDirectories(process);
      Files.writeString(process.resolve("comm"), program + "\n");
    }

    assertThat(doctor().out())
        .contains("firewalld is running", "systemd-networkd is running", "NetworkManager is run");

    Path told = directory.resolve("etc/systemd/networkd.conf.d");
    Files.createDirectories(told);
    Files.writeString(told.resolve("x.conf"), "[Network]\nManageForeignRoutes=no\n");
    assertThat(doctor().out()).doesNotContain("systemd-networkd is running");
  }

  /** Review U11. */
  @Test
  void theVariablesOfRuntimesSayWhereToLook() {
    Printed doctor =
        new Shell(
                folders,
                directory,
                PluginExecutables.of(home),
                Map.of(
                    "NETCONFPATH",
                    directory.resolve("net.d").toString(),
                    "CNI_PATH",
                    home.resolve("cni").toString()))
            .run(DoctorCommand::new, "--cache-dir", directory.resolve("cache").toString());

    assertThat(doctor.out())
        .doesNotContain("/etc/cni", "/opt/cni", "problem ")
        .endsWith("nothing is wrong\n");
  }

  /** Review U11. */
  @Test
  void aPluginThatIsMissingIsToBeInstalledAndAWrongFieldToBeCorrected() throws IOException {
    conf("20-red.conflist", "red", "macvlan");
    assertThat(doctor().out())
        .contains(
            "failed to find plugin \"macvlan\"", "install the plugin (`ocicat install --bin-dir ")
        .doesNotContain("correct the field");
    Files.delete(directory.resolve("net.d/20-red.conflist"));
    Files.delete(directory.resolve("net.d/10-blue.conflist"));

    assertThat(doctor().out())
        .contains("`ocicat install --calico` writes Calico's", "--conflist FILE");
  }

  /** Review U2. */
  @Test
  void attachmentsAreComparedWithTheKernel(Host host, Host pod) {
    attach(host, pod);
    assertThat(doctor().out()).doesNotContain("attachments:");

    host.exec("ip", "link", "set", "br7", "down");
    assertThat(doctor().out())
        .contains("problem  attachments: c1/eth0: bridge br7: down, not up")
        .contains("do:  `ip link set br7 up`");
    assertThat(doctor().exitCode()).isEqualTo(1);
    pod.exec("ip", "link", "del", "eth0");
    assertThat(doctor().out()).contains("attachments: c1/eth0: interface eth0: there is none in ");
  }

  /** Review C2. */
  @Test
  void whatIsLeftOfNetworksWithoutAFileIsReported(Host host) throws Exception {
    Path leases = Files.createDirectories(directory.resolve("var/lib/cni/networks/green"));
    Files.writeString(leases.resolve("10.88.0.9"), "ghost\r\neth0");
    Path results = Files.createDirectories(directory.resolve("cache/results"));
    Files.writeString(
        results.resolve("green-c9-eth0"),
        """
        {"kind":"cniCacheV1","containerId":"c9","ifName":"eth0","networkName":"green",
         "netns":"/run/netns/none","config":"e30=","cniArgs":[["K8S_POD_NAMESPACE","shop"],
         ["K8S_POD_NAME","till"]],"result":{}}
        """);

    assertThat(doctor().out())
        .contains("1 addresses of network green, which no file configures any more, are leased to")
        .contains("10.88.0.9 (ghost)")
        .contains("libcni's cache has 1 attachments to network green, which no file configures")
        .contains("shop/till (c9/eth0)")
        .contains("`ocicat net gc green` removes what records tell of; for the rest put the");

    host.exec("nft", "add table inet ocicat_masquerade");
    host.exec("nft", "add set inet ocicat_masquerade sources4 { type ipv4_addr ; }");
    for (String element :
        List.of(
            "10.88.0.9 comment \"green/ghost/eth0\"", "10.77.0.2 comment \"blue/known/eth0\"")) {
      host.exec("nft", "add element inet ocicat_masquerade sources4 { %s }".formatted(element));
    }
    AllAttachments known = new AllAttachments(Set.of(), Set.of("blue/known/eth0"));
    try (NetNs there = NetNs.open(host.path())) {
      assertThat(
              there.call(
                  () ->
                      new OrphanElementsCheck(known, RemovedNetworks.among(Set.of("blue"))).run()))
          .singleElement()
          .satisfies(
              finding ->
                  assertThat(finding.what())
                      .contains("network green, which no file configures any more")
                      .contains("green/ghost/eth0 in ocicat_masquerade"));
    }
  }

  @Test
  void jsonTellsTheSame() throws IOException {
    Files.delete(directory.resolve("net.d/10-blue.conflist"));

    JsonNode findings = CniJson.parse(doctor("--json").out()).path("findings");

    assertThat(findings)
        .anySatisfy(
            finding -> {
              assertThat(finding.path("check").asString()).isEqualTo("networks");
              assertThat(finding.path("severity").asString()).isEqualTo("problem");
              assertThat(finding.path("why").asString()).isNotBlank();
              assertThat(finding.path("action").asString()).isNotBlank();
            });
  }

  private DaemonState attach(Host host, Host pod) {
    try (LiveDaemon daemon = LiveDaemon.start(directory)) {
      assertThat(daemon.call("ADD", "c1", host, pod, daemon.network("10.77.0.0/24")).exitCode())
          .isZero();
    }
    return new DaemonState(folders, BootId.current());
  }

  private void conf(String file, String name, String type) throws IOException {
    String text =
        """
        {"cniVersion":"1.0.0","name":"%s","plugins":[{"type":"%s",
         "ipam":{"type":"host-local","subnet":"10.77.0.0/24","dataDir":"%s"}}]}
        """
            .formatted(name, type, directory.resolve("leases"));
    Files.writeString(directory.resolve("net.d").resolve(file), text);
  }

  private static void mode(Path path, String mode) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  private Printed doctor(String... args) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--conf-dir",
                directory.resolve("net.d").toString(),
                "--cache-dir",
                directory.resolve("cache").toString()));
    if (!List.of(args).contains("--cni-path")) {
      all.addAll(List.of("--cni-path", home.resolve("cni").toString()));
    }
    all.addAll(List.of(args));
    return new Shell(folders, directory, PluginExecutables.of(home))
        .run(DoctorCommand::new, all.toArray(String[]::new));
  }
}
