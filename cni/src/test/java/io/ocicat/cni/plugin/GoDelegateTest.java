package io.ocicat.cni.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.PluginInvoker;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.exec.Verb;
import io.ocicat.ip.IpPrefix;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A plugin of ours that gets its addresses from Go's host-local (containernetworking-plugins). */
class GoDelegateTest {
  private static final Path GO = Path.of("/usr/lib/cni");

  /** As small as a plugin with addresses can be. */
  private static final Plugin OURS =
      new Plugin() {
        @Override
        public Result add(AddCall call) {
          return call.ipam().add();
        }

        @Override
        public void del(DelCall call) {
          call.ipam().del();
        }

        @Override
        public void check(CheckCall call) {
          call.ipam().check();
        }
      };

  @TempDir private Path leases;
  private String config;

  @BeforeEach
  void configure() {
    assertThat(GO.resolve("host-local"))
        .as("Debian's package containernetworking-plugins")
        .isExecutable();
    config =
        """
        {"cniVersion":"1.0.0","name":"edge-net","type":"ours",
         "ipam":{"type":"host-local","dataDir":"%s","subnet":"10.77.0.0/30"}}
        """
            .formatted(leases);
  }

  @Test
  void anAddressComesIsCheckedAndGoes() {
    PluginReply added = ask(Verb.ADD, "c1");
    assertThat(added.exitCode()).as(Request.stdout(added)).isZero();
    Result result = Result.parse(added.stdout(), SpecVersion.V1_0_0);
    assertThat(result.ips())
        .extracting(IpConfig::address)
        .containsExactly(IpPrefix.parse("10.77.0.2/30"));
    Path lease = leases.resolve("edge-net").resolve("10.77.0.2");
    assertThat(lease).isRegularFile();

    config =
        config.replaceFirst(
            "\\{", "{\"prevResult\":" + Json.compact(CniJson.parse(added.stdout())) + ",");
    assertThat(ask(Verb.CHECK, "c1").exitCode()).isZero();
    assertThat(ask(Verb.DEL, "c1").exitCode()).isZero();
    assertThat(ask(Verb.DEL, "c1").exitCode()).isZero();
    assertThat(Files.exists(lease)).isFalse();
  }

  @Test
  void theReasonWhyThereIsNoAddressIsPassedOn() {
    assertThat(ask(Verb.ADD, "c1").exitCode()).isZero();
    CniException error = Request.failureIn(ask(Verb.ADD, "c2"));
    assertThat(error.msg()).contains("no IP addresses available in range set");
    assertThat(error.cniVersion()).contains("1.0.0");
    assertThat(leases.resolve("edge-net").resolve("10.77.0.2")).isRegularFile();
  }

  @Test
  void goPluginsTellTheirVersions() {
    PluginInvoker invoker = new PluginInvoker(new ProcessExec(), PluginInvoker.Stderr.IGNORED);
    assertThat(
            invoker
                .version(GO.resolve("host-local"), System.getenv(), Duration.ofSeconds(20))
                .supportedVersions())
        .contains("0.3.1", "0.4.0", "1.0.0");
  }

  private PluginReply ask(Verb verb, String container) {
    return Request.of(verb)
        .with("CNI_CONTAINERID", container)
        .with("CNI_PATH", GO.toString())
        .stdin(config)
        .to(OURS);
  }
}
