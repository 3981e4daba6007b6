package io.ocicat.plugins.flannel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ip.IpPrefix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SubnetEnvTest {
  private static final String V4 = "FLANNEL_NETWORK=10.42.0.0/16\nFLANNEL_SUBNET=10.42.9.1/24\n";
  private static final String V6 =
      "FLANNEL_IPV6_NETWORK=fd00:42::/48\nFLANNEL_IPV6_SUBNET=fd00:42:0:9::1/64\n";
  private static final String REST = "FLANNEL_MTU=1450\nFLANNEL_IPMASQ=true\n";

  @TempDir private Path directory;

  @Test
  void ipv4() throws IOException {
    assertThat(read(V4 + REST))
        .isEqualTo(new SubnetEnv(prefixes("10.42.0.0/16"), prefixes("10.42.9.0/24"), 1450, true));
  }

  @Test
  void ipv6() throws IOException {
    assertThat(read(V6 + REST))
        .isEqualTo(
            new SubnetEnv(prefixes("fd00:42::/48"), prefixes("fd00:42:0:9::/64"), 1450, true));
  }

  @Test
  void bothFamiliesInWhateverOrderTheyAreWritten() throws IOException {
    SubnetEnv env = read(REST + V6 + V4);
    assertThat(env.networks()).isEqualTo(prefixes("10.42.0.0/16", "fd00:42::/48"));
    assertThat(env.subnets()).isEqualTo(prefixes("10.42.9.0/24", "fd00:42:0:9::/64"));
  }

  @Test
  void severalNetworksEachOnce() throws IOException {
    assertThat(
            read("FLANNEL_NETWORK=10.42.0.0/16,10.99.1.2/16,10.42.255.255/16\n"
                    + "FLANNEL_SUBNET=10.42.9.1/24\n"
                    + REST)
                .networks())
        .isEqualTo(prefixes("10.42.0.0/16", "10.99.0.0/16"));
  }

  @Test
  void familiesNeedNotMatch() throws IOException {
    SubnetEnv env = read("FLANNEL_IPV6_NETWORK=fd00:42::/48\nFLANNEL_SUBNET=10.42.9.1/24\n" + REST);
    assertThat(env.networks()).isEqualTo(prefixes("fd00:42::/48"));
    assertThat(env.subnets()).isEqualTo(prefixes("10.42.9.0/24"));
  }

  @Test
  void whatIsNotOursIsSkippedAndTheLastLineCounts() throws IOException {
    SubnetEnv env =
        read("# by hand\r\n\nFOO\n FLANNEL_MTU=1\n" + V4 + "FLANNEL_MTU=9000\r\n" + REST);
    assertThat(env.mtu()).isEqualTo(1450);
  }

  @ParameterizedTest
  @CsvSource({"true,true", "false,false", "TRUE,false", "1,false", "'',false", "' true',false"})
  void onlyTheWordTrueMasquerades(String text, boolean masquerades) throws IOException {
    assertThat(read(V4 + "FLANNEL_MTU=1450\nFLANNEL_IPMASQ=" + text).ipMasq())
        .isEqualTo(masquerades);
  }

  @Test
  void everythingMissingIsNamedInOrder() throws IOException {
    assertThat(refused("foo=bar\n"))
        .isEqualTo(
            file()
                + " is missing FLANNEL_NETWORK, FLANNEL_IPV6_NETWORK, FLANNEL_SUBNET,"
                + " FLANNEL_IPV6_SUBNET, FLANNEL_MTU, FLANNEL_IPMASQ");
    assertThat(refused(V4)).isEqualTo(file() + " is missing FLANNEL_MTU, FLANNEL_IPMASQ");
    assertThat(refused("")).contains("FLANNEL_NETWORK");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "FLANNEL_NETWORK=10.42.0.0/33     | is wrong in FLANNEL_NETWORK: \"10.42.0.0/33\"",
        "FLANNEL_NETWORK=10.42.0.0/16,    | is wrong in FLANNEL_NETWORK: \"\"",
        "FLANNEL_NETWORK=                 | is wrong in FLANNEL_NETWORK: \"\"",
        "FLANNEL_SUBNET=10.42.9.1         | is wrong in FLANNEL_SUBNET: \"10.42.9.1\"",
        "FLANNEL_SUBNET=10.1.0.0/8,10.2.0.0/8 | is wrong in FLANNEL_SUBNET",
        "FLANNEL_IPV6_SUBNET=fd00::g/64   | is wrong in FLANNEL_IPV6_SUBNET: \"fd00::g/64\"",
        "FLANNEL_MTU=-1                   | is wrong in FLANNEL_MTU: \"-1\"",
        "FLANNEL_MTU=4294967296           | is wrong in FLANNEL_MTU: \"4294967296\"",
        "FLANNEL_MTU=99999999999999999999 | is wrong in FLANNEL_MTU",
        "FLANNEL_MTU=1e3                  | is wrong in FLANNEL_MTU: \"1e3\"",
        "FLANNEL_MTU=                     | is wrong in FLANNEL_MTU: \"\"",
        "FLANNEL_MTU                      | has a line \"FLANNEL_MTU\" without a value",
        "FLANNEL_IPMASQ                   | has a line \"FLANNEL_IPMASQ\" without a value",
      })
  void aBadLineIsNamed(String line, String message) throws IOException {
    assertThat(refused(V4 + REST + line + "\n")).startsWith(file() + " " + message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0000000000000001450", "4294967295"})
  void theMtuIsAnUnsignedNumberOf32Bits(String mtu) throws IOException {
    assertThat(read(V4 + "FLANNEL_IPMASQ=\nFLANNEL_MTU=" + mtu).mtu())
        .isEqualTo(Long.parseLong(mtu));
  }

  @Test
  void withoutTheFileTheRuntimeShouldTryAgain() {
    assertThatExceptionOfType(CniException.class)
        .isThrownBy(() -> SubnetEnv.read(file()))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER))
        .withMessageContaining("open %s: no such file or directory", file())
        .withMessageContaining("look at the log of the flannel pod");
  }

  @Test
  void aFileThatFlanneldNeverWroteIsRefused() throws IOException {
    assertThat(refused("x".repeat(70_000))).contains("has more than 65536 bytes");
    assertThat(refused("\0\1\ufffd".repeat(100))).contains("is missing");
  }

  private SubnetEnv read(String text) throws IOException {
    return SubnetEnv.read(Files.writeString(file(), text));
  }

  private String refused(String text) throws IOException {
    Files.writeString(file(), text);
    CniException refusal = assertThrows(CniException.class, () -> SubnetEnv.read(file()));
    assertThat(refusal.code()).isEqualTo(ErrorCode.INTERNAL);
    return refusal.msg();
  }

  private Path file() {
    return directory.resolve("subnet.env");
  }

  private static List<IpPrefix> prefixes(String... texts) {
    return Stream.of(texts).map(IpPrefix::parse).toList();
  }
}
