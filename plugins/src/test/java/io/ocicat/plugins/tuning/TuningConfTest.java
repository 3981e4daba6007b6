package io.ocicat.plugins.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Invalid configurations; nothing is changed, so that one pod serves all of them. */
@Hosts
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TuningConfTest {
  private Tuned tuned;

  @BeforeAll
  void wire(Host host, Host pod, @TempDir Path directory) {
    tuned = Tuned.wired(host, pod, directory);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "'sysctl':7|sysctl must be an object, not 7",
        "'sysctl':{'net.core.somaxconn':1}|sysctl[\"net.core.somaxconn\"] must be a string, not 1",
        "'sysctl':{'kernel.hostname':'x'}|sysctl[\"kernel.hostname\"] is an invalid net sysctl key",
        "'sysctl':{'net.a':'1','net/a':'2'}|sysctl[\"net/a\"] is the same as \"net.a\": duplicated sysctl keys are not allowed",
        "'sysctl':{'net.a.eth0':'1','net.a.IFNAME':'2'}|duplicated sysctl keys are not allowed",
        "'args':{'cni':{'sysctl':{'vm.x':'1'}}}|args.cni.sysctl[\"vm.x\"] is an invalid net sysctl key",
        "'mac':'x'|mac \"x\" is not a MAC address",
        "'mac':7|mac must be a string, not 7",
        "'promisc':'yes'|promisc must be true or false, not \"yes\"",
        "'mtu':-1|mtu must be a whole number",
        "'mtu':1500.5|mtu must be a whole number",
        "'allmulti':1|allmulti must be true or false, not 1",
        "'txQLen':-1|txQLen must be a whole number",
        "'runtimeConfig':{'mac':'x'}|runtimeConfig.mac \"x\" is not a MAC address",
        "'runtimeConfig':[]|runtimeConfig must be an object, not a list",
        "'args':{'cni':{'mac':'x'}}|args.cni.mac \"x\" is not a MAC address",
        "'args':{'cni':{'promisc':1}}|args.cni.promisc must be true or false",
        "'args':{'cni':{'mtu':true}}|args.cni.mtu must be a whole number",
        "'args':{'cni':{'allmulti':1}}|args.cni.allmulti must be true or false",
        "'args':{'cni':{'txQLen':'1'}}|args.cni.txQLen must be a whole number",
        "'args':{'cni':7}|args.cni must be an object, not 7",
      })
  void whatIsWrongIsNamed(String fields, String message) throws IOException {
    CniException error = tuned.with("1.0.0", fields).add().error();

    assertThat(error.msg()).startsWith(message.startsWith("dup") ? "sysctl" : message);
    assertThat(error.msg()).contains(message);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(tuned.files()).isEmpty();
  }

  @Test
  void aKeyThatComesTwiceIsRefused() {
    CniException error =
        tuned
            .with("1.0.0", "'sysctl':{'net.core.somaxconn':'1','net.core.somaxconn':'1'}")
            .add()
            .error();

    assertThat(error.msg()).contains("duplicate key \"net.core.somaxconn\"", "duplicated");
  }

  @Test
  void argumentsOfTheCallAreChecked() {
    Attaching eth0 = tuned.with("1.0.0", "'mtu':1400");

    assertThat(eth0.with("CNI_ARGS", "MAC=x").add().error().msg())
        .contains("error parsing value of pair \"MAC=x\"");
    assertThat(eth0.with("CNI_ARGS", "IP=10.0.0.1").add().error().msg())
        .contains("unknown args [\"IP=10.0.0.1\"]");
    assertThat(eth0.with("CNI_IFNAME", "eth0/x").add().error().code())
        .isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
    eth0.with("CNI_ARGS", "MAC=").add().ok();
    eth0.del().ok();
  }
}
