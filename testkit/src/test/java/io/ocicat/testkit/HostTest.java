package io.ocicat.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

@Hosts
class HostTest {

  @Test
  void hasNothingButALoopbackThatIsUp(Host host) {
    assertThat(host.json("ip", "-j", "link").findValuesAsString("ifname")).containsExactly("lo");
    assertThat(host.json("ip", "-j", "address", "show", "lo").findValuesAsString("local"))
        .containsExactly("127.0.0.1", "::1");
  }

  @Test
  void isANamedNamespaceOfIpNetns(Host host) {
    assertThat(host.path()).isEqualTo(Path.of("/run/netns", host.name())).exists();
    assertThat(Command.of("ip", "netns", "list").run().stdout()).contains(host.name());
  }

  @Test
  void isApartFromTheOthersAndFromTheMachine(Host one, Host two) {
    String machine = Command.of("readlink", "/proc/self/ns/net").run().stdout();
    String first = one.exec("readlink", "/proc/self/ns/net").stdout();
    String second = two.exec("readlink", "/proc/self/ns/net").stdout();

    assertThat(first).isNotEqualTo(second).isNotEqualTo(machine);
    assertThat(second).isNotEqualTo(machine);
  }

  @Test
  void aFailingCommandShowsItselfAndItsOutput(Host host) {
    assertThatThrownBy(() -> host.exec("ip", "link", "show", "nosuchdev"))
        .isInstanceOf(TestkitException.class)
        .hasMessageContaining("link show nosuchdev")
        .hasMessageContaining("exit code 1")
        .hasMessageContaining("Device \"nosuchdev\" does not exist");
  }

  @Test
  void aFailureCanBeWanted(Host host) {
    Output output = host.tryExec("ip", "link", "show", "nosuchdev");

    assertThat(output.succeeded()).isFalse();
    assertThat(output.stderr()).contains("does not exist");
  }

  @Test
  void aMissingToolIsNamedBeforeTheNamespaceIsEntered(Host host) {
    assertThatThrownBy(() -> host.exec("no-such-tool"))
        .isInstanceOf(TestkitException.class)
        .hasMessageContaining("this test needs the program \"no-such-tool\"");
  }

  @Test
  void noOutputReadsAsAnEmptyArray(Host host) {
    assertThat(host.json("true").isArray()).isTrue();
    assertThat(host.json("true")).isEmpty();
  }

  @Test
  void sysctlsAreItsOwn(Host one, Host two) {
    one.exec("sysctl", "-w", "net.ipv4.ip_forward=1");

    assertThat(one.exec("sysctl", "-n", "net.ipv4.ip_forward").stdout()).isEqualTo("1\n");
    assertThat(two.exec("sysctl", "-n", "net.ipv4.ip_forward").stdout()).isEqualTo("0\n");
  }

  @Test
  void firewallAndTrafficControlWorkInside(Host host) {
    host.command("nft", "-f", "-").stdin("add table inet mine").run();
    host.exec("ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1");
    host.exec("tc", "qdisc", "add", "dev", "v0", "ingress");

    assertThat(host.json("nft", "-j", "list", "tables").findValuesAsString("name"))
        .containsExactly("mine");
    assertThat(host.json("tc", "-j", "qdisc", "show", "dev", "v0").findValuesAsString("kind"))
        .contains("ingress");
  }

  @Test
  void closingKillsWhatRunsInsideAlsoWhatLeftItsParent() {
    Background child;
    long orphan;
    try (Host host = Host.open()) {
      child = host.start("sleep", "600");
      Output output = host.exec("sh", "-c", "setsid sleep 600 >/dev/null 2>&1 & echo $!");
      orphan = Long.parseLong(output.stdout().strip());
      assertThat(ProcessStatus.isRunning(orphan)).isTrue();
    }

    assertThat(child.isAlive()).isFalse();
    assertThat(ProcessStatus.isRunning(orphan)).isFalse();
  }

  @Test
  void closingWorksForAThreadThatIsInterrupted() {
    Host host = Host.open();
    host.start("sleep", "600");
    Thread.currentThread().interrupt();

    host.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(host.path()).doesNotExist();
  }

  @Test
  void closingTwiceIsFine() {
    Host host = Host.open();
    try (Background process = host.start("sleep", "600")) {
      assertThat(process.isAlive()).isTrue();
      host.close();
      assertThat(process.isAlive()).isFalse();
    }
    host.close();

    assertThat(host.path()).doesNotExist();
  }
}
