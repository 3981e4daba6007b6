package io.ocicat.plugins.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is rejected, what fails, and that everything is then as before. */
@Hosts
class TuningErrorTest {
  private Tuned tuned;
  private String backlog;

  @BeforeEach
  void wire(Host host, Host pod, @TempDir Path directory) {
    tuned = Tuned.wired(host, pod, directory);
    backlog = tuned.sysctl("net.core.somaxconn");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "'sysctl':{'net.core.somaxconn':'500','net.ipv4.never':'1'}|cannot set sysctl net.ipv4.never to \"1\"|7",
        "'sysctl':{'net.core.somaxconn':'500','net.ipv4.conf.all.rp_filter':'x'}|cannot set sysctl net.ipv4.conf.all.rp_filter to \"x\"|7",
        "'sysctl':{'net.core.somaxconn':'500','net.ipv4':'x'}|cannot set sysctl net.ipv4 to|999",
        "'sysctl':{'net.core.somaxconn':'500'},'mac':'01:00:00:00:00:01','txQLen':3|address 01:00:00:00:00:01: Cannot assign requested address|999",
        "'sysctl':{'net.core.somaxconn':'500'},'mac':'c2:11:22:33:44:55','promisc':true,'mtu':70000|mtu 70000: Invalid argument|999",
      })
  void aFailedAddLeavesEverythingAsItWas(String fields, String message, int code)
      throws IOException {
    String before = tuned.settings();

    for (int i = 0; i < 5; i++) {
      CniException error = tuned.with("1.0.0", fields).add().error();
      assertThat(error.msg()).contains(message);
      assertThat(error.code().value()).isEqualTo(code);
      assertThat(tuned.settings()).isEqualTo(before);
      assertThat(tuned.sysctl("net.core.somaxconn")).isEqualTo(backlog);
      assertThat(tuned.files()).isEmpty();
    }
  }

  @Test
  void aFailedSecondAddLeavesWhatTheFirstDid() throws IOException {
    tuned.with("1.0.0", "'mtu':1400").add().ok();
    String between = tuned.settings();
    byte[] backup = Files.readAllBytes(tuned.backup());

    tuned.with("1.0.0", "'txQLen':7,'mtu':70000").add().error();

    assertThat(tuned.settings()).isEqualTo(between);
    assertThat(Files.readAllBytes(tuned.backup())).isEqualTo(backup);
  }

  @Test
  void withoutAPlaceForTheBackupNothingIsChanged(@TempDir Path directory) throws IOException {
    Files.writeString(directory.resolve("file"), "");
    Tuned elsewhere = new Tuned(tuned.host(), tuned.pod(), directory.resolve("file"));
    String before = tuned.settings();

    CniException error = elsewhere.with("1.0.0", "'mtu':1400").add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.IO_FAILURE);
    assertThat(error.msg()).contains("failed to save", directory.resolve("file").toString());
    assertThat(tuned.settings()).isEqualTo(before);
  }

  @Test
  void anInterfaceThatIsNotThereIsNamed() {
    assertThat(tuned.with("1.0.0", "'mtu':1400").with("CNI_IFNAME", "eth7").add().error().msg())
        .isEqualTo("link \"eth7\" not found");
  }

  @Test
  void theListOfAllowedSysctlsIsKept(@TempDir Path directory) throws IOException {
    Path list = directory.resolve("allowlist.conf");
    String fields =
        "'sysctl':{'net.core.somaxconn':'500'},'args':{'cni':{'sysctl':{'net.ipv4.ip_forward':'1'}}}";
    Files.writeString(list, "^net\\.core\\.");

    CniException error = refused(list, "ADD", tuned.with("1.1.0", fields));

    assertThat(error.msg()).startsWith("Sysctl net.ipv4.ip_forward is not allowed.");
    assertThat(tuned.sysctl("net.core.somaxconn")).isEqualTo(backlog);

    Files.writeString(list, "^net\\.core\\.\nip_forward");
    assertThat(run(list, "ADD", tuned.with("1.1.0", fields)).exitCode()).isZero();
    assertThat(tuned.sysctl("net.core.somaxconn")).isEqualTo("500");
  }

  @Test
  void aBrokenListIsAnErrorForWhoeverWantsSysctls(@TempDir Path directory) throws IOException {
    Path list = directory.resolve("allowlist.conf");
    Files.writeString(list, "(\n");

    assertThat(refused(list, "ADD", tuned.with("1.1.0", "'sysctl':{'net.a':'1'}")).msg())
        .contains(list.toString(), "\"(\" is no regular expression");
    CniException status = refused(list, "STATUS", tuned.bare("1.1.0", ""));
    assertThat(status.code()).isEqualTo(ErrorCode.PLUGIN_NOT_AVAILABLE);
    assertThat(status.msg()).contains("\"(\" is no regular expression");
    assertThat(run(list, "ADD", tuned.with("1.1.0", "'mtu':1400")).exitCode()).isZero();
  }

  private static CniException refused(Path allowList, String command, Attaching attaching) {
    PluginReply reply = run(allowList, command, attaching);
    assertThat(reply.exitCode()).isEqualTo(1);
    return CniException.fromJson(CniJson.parse(reply.stdout()));
  }

  private static PluginReply run(Path allowList, String command, Attaching attaching) {
    Map<String, String> environment = new HashMap<>(attaching.variables());
    environment.put("CNI_COMMAND", command);
    environment.put("CNI_NETNS", attaching.netns());
    environment.put("CNI_PATH", "/nowhere");
    PluginHost host =
        new PluginHost(
            new Namespaces(attaching.host().path(), Map.of()),
            new ProcessExec(),
            Deadline.NEVER,
            _ -> {});
    return Dispatcher.dispatch(
        new TuningPlugin(allowList),
        host,
        environment,
        attaching.config().getBytes(StandardCharsets.UTF_8));
  }
}
