package io.ocicat.plugins.httpipam;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpIpamConfTest {
  private static final String GOOD = "'serverURL':'http://10.0.0.1:8090','token':'t0ken'";

  @TempDir private Path directory;

  @Test
  void theDefaults() {
    HttpIpamConf conf = read("{%s}".formatted(GOOD));
    assertThat(conf.server()).hasToString("http://10.0.0.1:8090");
    assertThat(conf.timeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(conf.connectTimeout()).isEqualTo(Duration.ofSeconds(2));
    assertThat(conf.retries()).isEqualTo(3);
    assertThat(conf.leaseSeconds()).isZero();
    assertThat(conf.pool()).isNull();
    assertThat(conf.routes()).isNull();
    assertThat(conf.dns()).isNull();
    assertThat(conf.node()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "http://10.0.0.1,http://10.0.0.1",
    "http://10.0.0.1:8090/,http://10.0.0.1:8090",
    "HTTPS://ipam.example.org/a/b//,HTTPS://ipam.example.org/a/b",
    "http://[fd00::1]:8090,http://[fd00::1]:8090",
  })
  void theServersAddress(String text, String server) {
    assertThat(read("{'serverURL':'%s','token':'t'}".formatted(text)).server()).hasToString(server);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'token':'t'}                          | ipam.serverURL is missing",
        "{'serverURL':7,'token':'t'}            | ipam.serverURL must be a string, not 7",
        "{'serverURL':'','token':'t'}           | ipam.serverURL must be an address such as",
        "{'serverURL':'10.0.0.1:80','token':'t'}| ipam.serverURL must be an address such as",
        "{'serverURL':'ftp://x','token':'t'}    | ipam.serverURL must be an address such as",
        "{'serverURL':'http:///x','token':'t'}  | ipam.serverURL must be an address such as",
        "{'serverURL':'http://x y','token':'t'} | ipam.serverURL must be an address such as",
        "{'serverURL':'http://x?a=b','token':'t'} | ipam.serverURL must be an address such as",
        "{'serverURL':'http://x:99999','token':'t'} | ipam.serverURL must be an address such as",
        "{'serverURL':'http://x'}               | ipam.token or tokenFile is required, one of them",
        "{'serverURL':'http://x','token':'t','tokenFile':'/x'} | ipam.token or tokenFile is required, not both",
        "{'serverURL':'http://x','tokenFile':'/nonexistent/t'} | ipam.tokenFile /nonexistent/t does not exist",
        "{'serverURL':'http://x','tokenFile':'/'} | ipam.tokenFile / cannot be read",
        "{'serverURL':'http://x','tokenFile':1} | ipam.tokenFile must be a string, not 1",
        "{GOOD,'pool':''}                       | ipam.pool must not be empty",
        "{GOOD,'pool':[]}                       | ipam.pool must be a string, not a list",
        "{GOOD,'node':''}                       | ipam.node must not be empty",
        "{GOOD,'families':['ipv5']}             | ipam.families[0] must be one of \"ipv4\", \"ipv6\", not \"ipv5\"",
        "{GOOD,'families':'ipv4'}               | ipam.families must be a list, not \"ipv4\"",
        "{GOOD,'leaseSeconds':-1}               | ipam.leaseSeconds must be a whole number",
        "{GOOD,'leaseSeconds':'60'}             | ipam.leaseSeconds must be a whole number 0–315360000, not \"60\"",
        "{GOOD,'timeoutMs':0}                   | ipam.timeoutMs must be a whole number 1–60000, not 0",
        "{GOOD,'connectTimeoutMs':60001}        | ipam.connectTimeoutMs must be a whole number",
        "{GOOD,'retries':21}                    | ipam.retries must be a whole number 0–20, not 21",
        "{GOOD,'retries':20,'timeoutMs':10000}  | ipam.retries and timeoutMs together must not take longer than 180 s",
        "{GOOD,'caFile':'/etc/ca.pem'}          | ipam.caFile is for https only, and serverURL is not",
        "{GOOD,'insecureSkipVerify':true}       | ipam.insecureSkipVerify is for https only",
        "{GOOD,'insecureSkipVerify':'yes'}      | ipam.insecureSkipVerify must be true or false, not \"yes\"",
        "{GOOD,'routes':{}}                     | ipam.routes must be a list, not an object",
        "{GOOD,'routes':[{'dst':'x'}]}          | ipam.routes[0].dst",
        "{GOOD,'dns':7}                         | ipam.dns must be an object, not 7",
      })
  void aBadConfigurationIsRefused(String ipam, String message) {
    CniException refusal = assertThrows(CniException.class, () -> read(ipam.replace("GOOD", GOOD)));
    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(refusal.getMessage()).contains(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'token':123456789",
        "'token':'s3cret with blank'",
        "'token':'s3cret\\u000d\\u000aX-Evil: 1'",
        "'token':''",
        "'token':['s3cret']",
        "'token':{'s3cret':1}"
      })
  void aTokenThatIsNoneIsNotShown(String token) {
    CniException refusal =
        assertThrows(
            CniException.class, () -> read("{'serverURL':'http://x',%s}".formatted(token)));
    assertThat(refusal.getMessage())
        .contains("ipam.token must be a text of visible ASCII characters")
        .doesNotContain("s3cret", "123456789");
  }

  @Test
  void neitherIsAPasswordInTheAddress() {
    CniException refusal =
        assertThrows(
            CniException.class, () -> read("{'serverURL':'http://joe:s3cret@x','token':'t'}"));
    assertThat(refusal.getMessage())
        .contains("must not hold a user name: use token or tokenFile")
        .doesNotContain("s3cret");
  }

  @Test
  void aTokenFileMustHoldOneToken() throws IOException {
    Path file = Files.writeString(directory.resolve("token"), "s3cret\nand another\n");
    String ipam = "{'serverURL':'http://x','tokenFile':'%s'}".formatted(file);
    assertThat(assertThrows(CniException.class, () -> read(ipam)).getMessage())
        .contains(file + " must hold one token")
        .doesNotContain("s3cret");
    Files.writeString(file, " s3cret \n");
    assertThat(read(ipam).token().authorization()).isEqualTo("Bearer s3cret");
    assertThat(read(ipam).toString()).doesNotContain("s3cret");
  }

  private static HttpIpamConf read(String ipam) {
    String config = "{\"name\":\"n\",\"ipam\":%s}".formatted(ipam.replace('\'', '"'));
    return HttpIpamConf.read(PluginConfig.ofRequest(config.getBytes(UTF_8)));
  }
}
