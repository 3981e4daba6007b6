package io.ocicat.plugins.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.Attachment;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Ran;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever happened to the container, DEL and GC leave no backup. */
@Hosts
class TuningDelTest {
  private static final String CHANGES = "'mtu':1400,'sysctl':{'net.core.somaxconn':'500'}";

  private Tuned tuned;
  private String backlog;

  @BeforeEach
  void wire(Host host, Host pod, @TempDir Path directory) {
    tuned = Tuned.wired(host, pod, directory);
    backlog = tuned.sysctl("net.core.somaxconn");
  }

  @Test
  void withoutAnAddThereIsNothingToDo() throws IOException {
    tuned.bare("1.0.0", "").del().ok();
    tuned.bare("1.0.0", "").withNetns("").del().ok();

    assertThat(Files.exists(tuned.dataDir())).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/run/netns/never", "/etc/hostname", "/etc/hostname/x"})
  void theNamespaceIsGone(String netns) throws IOException {
    tuned.with("1.0.0", CHANGES).add().ok();

    tuned.bare("1.0.0", "").withNetns(netns).del().ok();

    assertThat(tuned.files()).isEmpty();
  }

  @Test
  void theInterfaceIsGone() throws IOException {
    tuned
        .with(
            "1.0.0", CHANGES.replace("'net.core", "'net.ipv4.conf.IFNAME.rp_filter':'2','net.core"))
        .add()
        .ok();
    tuned.host().exec("ip", "link", "del", "veth0");

    Ran del = tuned.bare("1.0.0", "").del();
    del.ok();

    assertThat(del.stderr()).isEmpty();
    assertThat(tuned.files()).isEmpty();
    assertThat(tuned.sysctl("net.core.somaxconn")).isEqualTo(backlog);
  }

  @Test
  void whatCannotBePutBackIsSaid() throws IOException {
    tuned.with("1.0.0", "'mtu':1400,'mac':'c2:11:22:33:44:55'").add().ok();
    Files.writeString(
        tuned.backup(),
        "{\"mac\":\"01:00:00:00:00:01\",\"mtu\":1500,\"ocicat\":{\"sysctl\":{\"net/core/somaxconn\":\"x\"}}}");

    Ran del = tuned.bare("1.0.0", "").del();
    del.ok();

    assertThat(del.stderr())
        .contains("failed to restore: set link", "address 01:00:00:00:00:01")
        .contains("failed to restore: set sysctl net/core/somaxconn to \"x\"");
    assertThat(tuned.link().path("mtu").asInt()).isEqualTo(1500);
    assertThat(tuned.files()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{\"mac\": \"c2:1",
        "[]",
        "{\"mac\":7,\"mtu\":\"x\",\"promisc\":1}",
        "{\"ocicat\":{\"sysctl\":{\"net/../kernel/hostname\":\"x\"}}}",
        "{\"ocicat\":{\"sysctl\":{\"kernel/hostname\":\"x\"}}}",
      })
  void aBackupThatMakesNoSenseGoes(String content) throws IOException {
    tuned.with("1.0.0", CHANGES).add().ok();
    Files.writeString(tuned.backup(), content);

    tuned.bare("1.0.0", "").del().ok();

    assertThat(tuned.files()).isEmpty();
  }

  @Test
  void onlyTheDirectoryMustBeRight() {
    tuned.bare("1.0.0", "'mtu':'x','mac':7").with("CNI_ARGS", "nonsense").del().ok();

    Attaching relative = tuned.bare("1.0.0", "");
    relative = relative.withConfig(relative.config().replace(tuned.dataDir().toString(), "here"));
    assertThat(relative.del().error().msg())
        .isEqualTo("dataDir must be an absolute path, not \"here\"");
  }

  @Test
  void gcRemovesTheBackupsOfGoneAttachments() throws IOException {
    tuned.with("1.1.0", CHANGES).add().ok();
    Attaching other = tuned.with("1.1.0", CHANGES);
    other
        .withConfig(other.config().replace("\"net\"", "\"net2\""))
        .with("CNI_CONTAINERID", "b")
        .add()
        .ok();
    Files.writeString(tuned.dataDir().resolve("go_eth0.json"), "{\"mtu\":1500}");
    Files.writeString(tuned.dataDir().resolve("torn_eth0.json"), "{");
    Files.createDirectory(tuned.dataDir().resolve("directory.json"));
    String name = tuned.backup().getFileName() + "";

    tuned.bare("1.1.0", "").gc().ok();
    gc(new Attachment(tuned.pod().name(), "eth0")).ok();
    assertThat(tuned.files()).contains(name, "b_eth0.json");

    gc(new Attachment(tuned.pod().name(), "eth1"), new Attachment("c", "eth0")).ok();
    assertThat(tuned.files())
        .containsExactly("b_eth0.json", "directory.json", "go_eth0.json", "torn_eth0.json");
  }

  @Test
  void gcWithoutADirectoryHasNothingToDo() {
    gc().ok();
  }

  private Ran gc(Attachment... valid) {
    StringBuilder list = new StringBuilder();
    for (Attachment attachment : valid) {
      list.append(list.isEmpty() ? "" : ", ").append(attachment.toJson());
    }
    return tuned.bare("1.1.0", "'cni.dev/valid-attachments':[%s]".formatted(list)).gc();
  }
}
