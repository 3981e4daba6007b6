package io.ocicat.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.nft.PolicyTable;
import io.ocicat.cni.CniJson;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.DataType;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.netlink.nft.Statement;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.netlink.nft.Value;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That {@code ocicat uninstall} removes what was installed, all of it and nothing else. */
@Hosts
class UninstallCommandTest {
  @TempDir private Path root;
  private Machine machine;

  @BeforeEach
  void aMachine() throws IOException {
    machine = new Machine(root);
  }

  @Test
  void nothingIsLeftButTheDirectories() {
    machine.install("--systemd", "--unit-dir", machine.units.toString());

    assertThat(machine.uninstall()).as(machine.err.toString()).isZero();

    assertThat(machine.bin).isEmptyDirectory();
    assertThat(machine.units).isEmptyDirectory();
    assertThat(InstallManifest.fileIn(machine.state())).doesNotExist();
    assertThat(machine.out.toString()).contains("removed   " + machine.plugin("bridge"));
  }

  @Test
  void doingItTwiceIsNotAnError() {
    machine.install();
    machine.uninstall();

    assertThat(machine.uninstall()).isZero();

    assertThat(machine.out.toString()).startsWith("nothing is installed");
  }

  @Test
  void whatWasKeptAsideComesBack() throws IOException {
    Machine.file(machine.plugin("bridge"), "go", "rwxr-xr-x");
    machine.install("--replace");

    assertThat(machine.uninstall()).isZero();

    assertThat(machine.plugin("bridge")).hasContent("go").isExecutable();
    assertThat(machine.plugin("bridge.before-ocicat")).doesNotExist();
  }

  @Test
  void whatWasKeptAsideComesBackAlsoWhenOursIsGone() throws IOException {
    Machine.file(machine.plugin("bridge"), "go", "rwxr-xr-x");
    machine.install("--replace");
    Files.delete(machine.plugin("bridge"));

    assertThat(machine.uninstall()).isZero();

    assertThat(machine.plugin("bridge")).hasContent("go");
  }

  @Test
  void whatWasChangedSinceStays() throws IOException {
    machine.install();
    Machine.file(machine.plugin("bridge"), "go", "rwxr-xr-x");

    assertThat(machine.uninstall()).isZero();

    assertThat(machine.plugin("bridge")).hasContent("go");
    assertThat(machine.plugin("ptp")).doesNotExist();
    assertThat(machine.out.toString())
        .contains("left      " + machine.plugin("bridge") + ", which is not as it was put there");
  }

  @Test
  void whatWasDoneIsThereAsJson() {
    machine.install();

    assertThat(machine.uninstall("--json")).isZero();

    assertThat(CniJson.parse(machine.out.toString()).path("files").findValuesAsString("done"))
        .isNotEmpty()
        .containsOnly("removed");
  }

  @Test
  void aDryRunReportsAndDoesNothing() {
    machine.install();

    assertThat(machine.uninstall("--dry-run")).isZero();

    assertThat(machine.out.toString())
        .startsWith(InstallOutput.DRY_RUN)
        .contains("removed   " + machine.plugin("bridge"));
    assertThat(machine.plugin("bridge")).hasContent("shim 1");
    assertThat(InstallManifest.fileIn(machine.state())).exists();
  }

  @Test
  void theLastPluginsStayAsLongAsContainersNeedThem() throws IOException {
    machine.install();
    Machine.file(machine.state().resolve("attachments/0123"), "a record", "rw-------");

    assertThat(machine.uninstall()).isEqualTo(1);

    assertThat(machine.err.toString()).contains("1 attachments are still there", "--force");
    assertThat(machine.plugin("bridge")).exists();
    assertThat(machine.uninstall("--force")).isZero();
    assertThat(machine.bin).isEmptyDirectory();
  }

  @Test
  void filesThatOthersPutIntoTheCopyStay() throws IOException {
    Path copy = root.resolve("opt/ocicat-1.2.3-abc");
    machine.install("--prefix", root.resolve("opt").toString());
    Files.writeString(copy.resolve("lib/notes"), "mine");

    assertThat(machine.uninstall()).isZero();

    assertThat(copy.resolve("lib/notes")).hasContent("mine");
    assertThat(copy.resolve("bin")).doesNotExist();
    assertThat(machine.out.toString()).contains("left      " + copy.resolve("lib"));
  }

  /** Review U22: removing the plugins removes their tables as well. */
  @Test
  void tablesWithoutContainersGo(Host host) {
    machine.install();
    try (NetNs namespace = NetNs.open(host.path());
        NetlinkSocket net = NetlinkSocket.open(Protocol.NETFILTER, namespace)) {
      TableId idle = new TableId(TableFamily.INET, "ocicat_idle");
      TableId busy = new TableId(TableFamily.INET, "ocicat_busy");
      TableId foreign = new TableId(TableFamily.INET, "ocicat_of_others");
      NamedSet users = NamedSet.set(busy.set("users"), DataType.IFNAME);
      net.transact(
          List.of(
              Tables.add(Table.of(idle).withComment("ocicat: nobody's")),
              Sets.add(NamedSet.set(idle.set("users"), DataType.IFNAME)),
              Tables.add(Table.of(busy).withComment("ocicat: somebody's")),
              Sets.add(users),
              Elements.add(
                  users, Element.of(Value.interfaceName("veth0")).withComment("blue/c1/eth0")),
              Tables.add(Table.of(foreign)),
              Tables.add(Table.of(PolicyTable.ID)),
              Chains.add(Chain.regular(PolicyTable.ID.chain("in_pro//kns.shop"))),
              Rules.append(
                  new Rule(
                      PolicyTable.ID.chain("in_pro//kns.shop"),
                      List.of(Statement.accept()),
                      PolicyTable.comment(0)))));

      assertThat(machine.uninstall(new FirewallTables(Optional.of(host.path()))))
          .as(machine.err.toString())
          .isZero();

      assertThat(net.list(Tables.all()))
          .extracting(Table::id)
          .containsExactlyInAnyOrder(busy, foreign);
      assertThat(machine.out.toString())
          .contains(
              "removed   table inet ocicat_idle",
              "removed   table inet ocicat_policy",
              "left      table inet ocicat_busy");
    }
  }

  /** Calico's pools are masqueraded for all of their containers at once. */
  @Test
  void whatMasqueradesPoolsStaysAsLongAsContainersHaveAddressesOfThem(Host host)
      throws IOException {
    host.command("nft", "-f", "-")
        .stdin(
            """
            table inet ocicat_nat_outgoing_0123456789ab {
              comment "ocicat: what leaves pools"
              set pools4 { type ipv4_addr; flags interval; elements = { 10.65.0.0/16 }; }
              set pools6 { type ipv6_addr; flags interval; elements = { fd65::/48 }; }
            }
            """)
        .run();
    host.exec("ip", "link", "add", "cali1", "up", "type", "bridge");
    host.exec("ip", "route", "add", "10.66.0.7/32", "dev", "cali1");
    host.exec("ip", "route", "add", "blackhole", "10.65.1.0/26");
    host.exec("ip", "route", "add", "fd65::7/128", "dev", "cali1");
    FirewallTables tables = new FirewallTables(Optional.of(host.path()));
    String left =
        "left      table inet ocicat_nat_outgoing_0123456789ab, which containers still need";
    machine.install();

    assertThat(machine.uninstall(tables)).as(machine.err.toString()).isZero();

    assertThat(machine.out.toString()).contains(left);
    host.exec("ip", "route", "del", "fd65::7/128", "dev", "cali1");
    host.exec("ip", "route", "add", "10.65.255.255/32", "dev", "cali1");
    machine.install();
    Machine.file(machine.state().resolve("attachments/0123"), "a record", "rw-------");
    assertThat(machine.uninstall(tables, "--force")).isZero();
    assertThat(machine.out.toString()).as("although it was told to").contains(left);

    host.exec("ip", "route", "del", "10.65.255.255/32", "dev", "cali1");
    Files.delete(machine.state().resolve("attachments/0123"));
    machine.install();
    assertThat(machine.uninstall(tables)).isZero();
    assertThat(machine.out.toString())
        .contains("removed   table inet ocicat_nat_outgoing_0123456789ab");
    assertThat(host.exec("nft", "list", "tables").stdout()).isEmpty();
  }

  /** Review U22. */
  @Test
  void purgeLeavesNothingOfOurs() throws IOException {
    machine.install();
    StateFolders folders = StateFolders.of(machine.environment);
    folders.create();
    Files.createFile(folders.state().resolve("datastore.db"));

    assertThat(machine.uninstall("--purge")).as(machine.err.toString()).isZero();

    assertThat(folders.state()).doesNotExist();
    assertThat(folders.run()).doesNotExist();
    assertThat(machine.uninstall("--purge")).isZero();
  }

  @Test
  void purgeKeepsWhatIsNotOursAndWhatLives() throws IOException {
    machine.install();
    StateFolders folders = StateFolders.of(machine.environment);
    folders.create();
    Path other = Files.createFile(folders.state().resolve("notes.txt"));
    Path pod = folders.state().resolve("pods/records/web");
    Files.createDirectories(pod.getParent());
    Files.createFile(pod);

    assertThat(machine.uninstall("--purge")).isEqualTo(1);
    assertThat(machine.err.toString()).contains("`ocicat pod rm --all`");
    assertThat(machine.plugin("bridge")).exists();

    Files.delete(pod);
    assertThat(machine.uninstall("--purge")).isZero();
    assertThat(folders.state()).isDirectoryContaining(file -> file.equals(other));
    assertThat(machine.out.toString()).contains("left      " + folders.state());
  }
}
