package io.ocicat.plugins.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AllowListTest {
  private Path file;

  @BeforeEach
  void name(@TempDir Path directory) {
    file = directory.resolve("allowlist.conf");
  }

  @Test
  void withoutAFileEverythingIsAllowed() {
    assertThat(AllowList.load(file)).isEmpty();
  }

  @Test
  void oneOfItsLinesMustBeFoundInTheKey() throws IOException {
    Files.writeString(
        file, "\n  ^net\\.core\\.somaxconn$  \r\n\n^net\\.ipv4\\.conf\\.IFNAME\\.[a-z_]*$\n");

    assertThatCode(() -> require("net.core.somaxconn", "net.ipv4.conf.IFNAME.rp_filter"))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> require("net.core.somaxconn", "net.ipv4.ip_forward"))
        .hasMessage(
            "Sysctl net.ipv4.ip_forward is not allowed. Only the following sysctls are allowed:"
                + " [^net\\.core\\.somaxconn$ ^net\\.ipv4\\.conf\\.IFNAME\\.[a-z_]*$]")
        .isInstanceOfSatisfying(
            CniException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG));
  }

  @Test
  void theKeyCountsAsItIsWritten() throws IOException {
    Files.writeString(file, "^net\\.core\\.somaxconn$");

    assertThatThrownBy(() -> require("net/core/somaxconn")).hasMessageContaining("not allowed");
  }

  @Test
  void anEmptyListAllowsNothing() throws IOException {
    Files.writeString(file, "\n \n");

    assertThatThrownBy(() -> require("net.core.somaxconn"))
        .hasMessageContaining("Only the following sysctls are allowed: []");
  }

  @Test
  void aLineThatIsNoExpressionForbidsEverything() throws IOException {
    Files.writeString(file, ".*\nnet.[\n");

    assertThatThrownBy(() -> AllowList.load(file))
        .hasMessageContaining(file + ": \"net.[\" is no regular expression")
        .hasMessageContaining("no sysctl is set until it is repaired or removed");
  }

  @Test
  void whatCannotBeReadForbidsEverything() throws IOException {
    Files.createDirectory(file);
    assertThatThrownBy(() -> AllowList.load(file)).hasMessageContaining("Is a directory");

    Files.delete(file);
    Files.createSymbolicLink(file, Path.of("nowhere"));
    assertThatThrownBy(() -> AllowList.load(file)).hasMessageContaining("it is a link to nowhere");

    Files.delete(file);
    Files.createSymbolicLink(file, file);
    assertThatThrownBy(() -> AllowList.load(file)).isInstanceOf(CniException.class);

    assertThatThrownBy(() -> AllowList.load(Path.of("/etc/hostname/allowlist.conf")))
        .isInstanceOf(CniException.class);
  }

  @Test
  void whatIsNoTextForbidsEverything() throws IOException {
    Files.write(file, new byte[] {'.', '*', '\n', (byte) 0xff});
    assertThatThrownBy(() -> AllowList.load(file)).hasMessageContaining("it is not UTF-8");

    Files.write(file, new byte[(1 << 20) + 1]);
    assertThatThrownBy(() -> AllowList.load(file)).hasMessageContaining("larger than 1048576");
  }

  private void require(String... keys) {
    AllowList.load(file)
        .orElseThrow()
        .require(
            Arrays.stream(keys)
                .map(key -> new NetSysctl(key, NetSysctl.setting(key, "eth0"), "1"))
                .toList());
  }
}
