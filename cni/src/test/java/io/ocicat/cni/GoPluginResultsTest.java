package io.ocicat.cni;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Compares our results with the Go plugin's: Debian's static plugin (package
 * containernetworking-plugins) prints one network in every version it knows; it touches neither
 * namespaces nor files.
 */
class GoPluginResultsTest {
  private static final String STATIC = "/usr/lib/cni/static";

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "V1_1_0")
  void convertsAndPrintsToTheByteAsGoDoes(SpecVersion version) throws Exception {
    Result newest = Result.parse(add("1.0.0"), SpecVersion.V1_0_0);
    assertThat(newest.ips()).hasSize(2);
    assertThat(Json.pretty(newest.toJson(version)))
        .isEqualTo(new String(add(version.text()), StandardCharsets.UTF_8));
  }

  @Test
  void readsGoErrorsAndVersionReplies() throws Exception {
    CniException error = CniException.fromJson(CniJson.parse(add("9.9.9")));
    assertThat(error.code()).isEqualTo(ErrorCode.INCOMPATIBLE_VERSION);
    assertThat(error.msg()).isEqualTo("incompatible CNI versions");
    assertThat(error.details()).startsWith("config is \"9.9.9\", plugin supports [\"0.1.0\" ");

    VersionReply reply = VersionReply.parse(run("VERSION", ""));
    assertThat(reply.supports("0.4.0")).isTrue();
  }

  private static byte[] add(String version) throws Exception {
    return run(
        "ADD",
        """
        { "cniVersion": "%s", "name": "judge", "type": "any", "ipam": { "type": "static",
          "addresses": [ { "address": "10.1.2.3/24", "gateway": "10.1.2.1" },
                         { "address": "fd00::7/64", "gateway": "fd00::1" } ],
          "routes": [ { "dst": "2001:db8::/32" }, { "dst": "0.0.0.0/0", "gw": "10.1.2.1" },
                      { "dst": "10.9.9.9/16" }, { "dst": "::/0", "gw": "fd00::1" } ],
          "dns": { "nameservers": ["10.0.0.53"], "domain": "lab.example", "search": ["lab.example"],
                   "options": ["ndots:2"] } } }
        """
            .formatted(version));
  }

  private static byte[] run(String command, String stdin) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(STATIC);
    builder.environment().put("CNI_COMMAND", command);
    builder.environment().put("CNI_CONTAINERID", "judge");
    builder.environment().put("CNI_NETNS", "/nonexistent");
    builder.environment().put("CNI_IFNAME", "eth0");
    builder.environment().put("CNI_PATH", "/usr/lib/cni");
    Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (var out = process.getOutputStream()) {
      out.write(stdin.getBytes(StandardCharsets.UTF_8));
    }
    byte[] stdout = process.getInputStream().readAllBytes();
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    return stdout;
  }
}
