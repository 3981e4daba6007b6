package io.ocicat.plugins.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Hosts
class TuningPluginTest {
  private static final String EVERYTHING =
      "'sysctl':{'net.ipv4.conf.IFNAME.rp_filter':'2','net.core.somaxconn':'500'},"
          + "'mac':'C2-11-22-33-44-55','promisc':true,'mtu':1454,'allmulti':true,'txQLen':20000";

  private Tuned tuned;
  private String backlog;

  @BeforeEach
  void wire(Host host, Host pod, @TempDir Path directory) {
    tuned = Tuned.wired(host, pod, directory);
    backlog = tuned.sysctl("net.core.somaxconn");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"})
  void everythingIsChangedAndPutBack(String version) throws IOException {
    String before = tuned.settings();
    String filter = tuned.sysctl("net.ipv4.conf.eth0.rp_filter");
    Attaching eth0 = tuned.with(version, EVERYTHING);

    JsonNode result = eth0.add().ok();

    assertThat(result.path("cniVersion").asString()).isEqualTo(version);
    if (version.compareTo("0.3.0") < 0) {
      assertThat(result.at("/ip4/ip").asString()).isEqualTo("10.0.0.2/24");
    } else {
      assertThat(result.at("/interfaces/0").has("mac")).isFalse();
      assertThat(result.at("/interfaces/1/mac").asString()).isEqualTo(Tuned.MAC);
      assertThat(result.at("/ips/0/address").asString()).isEqualTo("10.0.0.2/24");
    }
    assertThat(tuned.settings()).isEqualTo(Tuned.MAC + " 1454 20000 true true");
    assertThat(tuned.sysctl("net.ipv4.conf.eth0.rp_filter")).isEqualTo("2");
    assertThat(tuned.sysctl("net.core.somaxconn")).isEqualTo("500");

    eth0.del().ok();
    assertThat(tuned.settings()).isEqualTo(before);
    assertThat(tuned.sysctl("net.ipv4.conf.eth0.rp_filter")).isEqualTo(filter);
    assertThat(tuned.sysctl("net.core.somaxconn")).isEqualTo(backlog);
    assertThat(tuned.files()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "'promisc':true|promisc",
        "'mtu':1454|mtu",
        "'allmulti':true|allmulti",
        "'txQLen':0|txQLen",
        "'mac':'c2:11:22:33:44:55'|mac",
      })
  void oneSettingIsChangedWhereverItComesFrom(String field, String key) throws IOException {
    String before = tuned.settings();
    for (String fields :
        new String[] {
          field, "'args':{'cni':{%s}}".formatted(field), field + ",'args':{'cni':{}}"
        }) {
      Attaching eth0 = tuned.with("1.0.0", fields);
      eth0.add().ok();
      assertThat(tuned.settings()).as(fields).isNotEqualTo(before);
      JsonNode backup = CniJson.parse(Files.readAllBytes(tuned.backup()));
      assertThat(backup.propertyNames()).containsExactlyInAnyOrder(key, "ocicat");
      eth0.check().ok();

      eth0.del().ok();
      assertThat(tuned.settings()).as(fields).isEqualTo(before);
      assertThat(tuned.files()).isEmpty();
    }
  }

  /** Configuration, CNI_ARGS, runtimeConfig, args: the later wins. */
  @ParameterizedTest
  @CsvSource({"1,1", "12,2", "123,3", "1234,4", "13,3", "14,4", "24,4", "3,3", "4,4"})
  void theMacAddressHasFourSources(String sources, int winner) {
    String mac = "02:00:00:00:00:0";
    String fields =
        (sources.contains("1") ? "'mac':'" + mac + "1'," : "")
            + (sources.contains("3") ? "'runtimeConfig':{'mac':'" + mac + "3'}," : "")
            + (sources.contains("4") ? "'args':{'cni':{'mac':'" + mac + "4'}}," : "");
    Attaching eth0 = tuned.with("1.0.0", fields);
    if (sources.contains("2")) {
      eth0 = eth0.with("CNI_ARGS", "IgnoreUnknown=1;MAC=" + mac + "2;K8S_POD_NAME=x");
    }

    eth0.add().ok();

    assertThat(tuned.link().path("address").asString()).isEqualTo(mac + winner);
  }

  @Test
  void argsOverride() throws IOException {
    String before = tuned.settings();
    tuned
        .with(
            "1.0.0",
            "'mac':'c2:11:22:33:44:55','promisc':true,'mtu':1454,"
                + "'args':{'cni':{'mac':'','promisc':false,'mtu':0,'ips':['10.0.0.1']}}")
        .add()
        .ok();

    assertThat(tuned.settings()).isEqualTo(before);
    assertThat(tuned.files()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'args':{'cni':{'sysctl':{'net.core.somaxconn':'501'}}}",
        "'sysctl':{'net.core.somaxconn':'1'},'args':{'cni':{'sysctl':{'net/core.somaxconn':'501'}}}",
        "'sysctl':{'net.core.somaxconn':'501'},'args':{'cni':{'sysctl':null}}",
      })
  void sysctlsOfArgsAreMergedOverThose(String fields) {
    tuned.with("1.0.0", fields).add().ok();

    assertThat(tuned.sysctl("net.core.somaxconn")).isEqualTo("501");
  }

  @Test
  void withoutAnythingToDoTheResultIsPassedOn() throws IOException {
    String before =
        "{'cniVersion':'1.1.0','ips':[{'address':'10.1.2.3/24'}],'future':{'kept':true}}";
    Attaching eth0 = tuned.bare("1.1.0", "'prevResult':" + before);

    JsonNode result = eth0.add().ok();

    assertThat(result).isEqualTo(CniJson.parse(before.replace('\'', '"')));
    assertThat(tuned.files()).isEmpty();
  }

  @Test
  void anMtuInTheResultIsCorrected() {
    Attaching eth0 =
        tuned.bare(
            "1.1.0",
            "'mtu':1400,'prevResult':{'interfaces':[{'name':'eth0','mtu':1500},{'name':'eth0','mtu':1500,'sandbox':'x'}]}");

    JsonNode result = eth0.add().ok();

    assertThat(result.at("/interfaces/0/mtu").asInt()).as("that of the host").isEqualTo(1500);
    assertThat(result.at("/interfaces/1/mtu").asInt()).isEqualTo(1400);
  }

  @Test
  void theBackupIsForRootAlone(@TempDir Path directory) throws IOException {
    Tuned nested = new Tuned(tuned.host(), tuned.pod(), directory.resolve("not").resolve("yet"));
    nested.with("1.0.0", EVERYTHING).add().ok();

    assertThat(mode(nested.dataDir())).isEqualTo("rwx------");
    assertThat(mode(nested.backup())).isEqualTo("rw-------");
    assertThat(nested.files()).hasSize(1);
  }

  @Test
  void whatTheFirstOfTwoFoundIsPutBack() throws IOException {
    String before = tuned.settings();
    tuned.with("1.0.0", "'mtu':1400,'sysctl':{'net.core.somaxconn':'500'}").add().ok();
    tuned.with("1.0.0", "'mtu':1300,'txQLen':7,'sysctl':{'net.core.somaxconn':'600'}").add().ok();

    tuned.with("1.0.0", "'mtu':1300").del().ok();
    assertThat(tuned.settings()).isEqualTo(before);
    assertThat(tuned.sysctl("net.core.somaxconn")).isEqualTo(backlog);
    tuned.with("1.0.0", "'mtu':1400").del().ok();
    assertThat(tuned.settings()).isEqualTo(before);
  }

  @Test
  void itOnlyWorksBehindOthers() {
    CniException error = tuned.bare("1.0.0", "'mtu':1400").add().error();

    assertThat(error.msg()).isEqualTo("Required prevResult missing");
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(tuned.bare("1.0.0", "'mtu':1400").check().error().msg())
        .isEqualTo("Required prevResult missing");
  }

  @Test
  void statusLooksAtTheDirectory() {
    tuned.bare("1.1.0", "").status().ok();
    Attaching broken =
        new Tuned(tuned.host(), tuned.pod(), Path.of("/proc/version/x")).bare("1.1.0", "");

    CniException error = broken.status().error();

    assertThat(error.code()).isEqualTo(ErrorCode.PLUGIN_NOT_AVAILABLE);
    assertThat(error.msg()).contains("dataDir /proc/version/x", "/proc/version is no directory");
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
