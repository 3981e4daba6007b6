package io.ocicat.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.ForwardedPlugins;
import io.ocicat.cli.Ocicat;
import io.ocicat.cli.terminal.ErrorReporter;
import io.ocicat.cni.CniJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** With Debian's Go plugins; the checks themselves are tested in the module conformance. */
class ConformanceCommandTest {
  private static final String STATIC = "/usr/lib/cni/static";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path directory;

  @Test
  void passingIsExitCode0() {
    assertThat(run(STATIC, "--only", "verb")).isZero();
    assertThat(out.toString())
        .startsWith("static  /usr/lib/cni/static  (kind ipam, speaks 0.1.0, ")
        .contains("passed    verb.unknown       MUST    refuses")
        .contains("static: 5 checks: 5 passed, in ")
        .doesNotContain("\u001b");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void failingIsExitCode1AndShownInFull() {
    assertThat(run(STATIC, "--only", "version.echo", "--only", "verb.unknown")).isEqualTo(1);
    assertThat(out.toString())
        .contains("FAILED    version.echo")
        .contains("expected cniVersion 0.4.0")
        .contains("got 1.0.0")
        .contains("CNI_COMMAND=VERSION")
        .contains("static: 2 checks: 1 passed, 1 failed, in ");
  }

  @Test
  void anExpectedDeviationIsExitCode0() throws IOException {
    Path known = Files.writeString(directory.resolve("known"), "static: version.echo as we know\n");
    assertThat(run(STATIC, "--only", "version.echo", "--expect", known.toString())).isZero();
    assertThat(out.toString()).contains("deviates  version.echo", "because as we know");
  }

  /** Otherwise it could only report that its server is missing. */
  @Test
  void thePluginThatAsksAServerFindsOne() throws IOException {
    try (ForwardedPlugins plugins = ForwardedPlugins.in(directory)) {
      int exitCode =
          run(
              plugins.executable("ipam").toString(),
              "--env",
              plugins.environment().entrySet().iterator().next().toString(),
              "--only",
              "check");
      assertThat(out.toString()).contains("passed    check.notices-loss");
      assertThat(exitCode).isZero();
    }
  }

  @Test
  void jsonAndJunitAreWritten() throws IOException {
    Path junit = directory.resolve("junit.xml");
    assertThat(run(STATIC, "--only", "version.echo", "--json", "--junit", junit.toString()))
        .isEqualTo(1);
    JsonNode json = CniJson.parse(out.toString());
    assertThat(json.at("/checks/0/outcome").asString()).isEqualTo("failed");
    assertThat(junit).content().contains("<testsuites tests=\"1\" failures=\"1\"");
  }

  @Test
  void aConfigurationAndPlacesCanBeGiven() throws IOException {
    Path config =
        Files.writeString(
            directory.resolve("config.json"),
            """
            { "type": "static", "ipam": { "type": "static",
              "addresses": [ { "address": "10.1.2.3/24" } ] } }
            """);
    assertThat(
            run(
                STATIC,
                "--only",
                "add.after-del",
                "--config",
                config.toString(),
                "--kind",
                "ipam",
                "--cni-path",
                "/usr/lib/cni:/opt/cni/bin",
                "--limit",
                "20",
                "--env",
                "LANG=C"))
        .isZero();
  }

  @Test
  void theListIsThereAsJson() {
    assertThat(run("--list", "--json")).isZero();
    JsonNode checks = CniJson.parse(out.toString());
    assertThat(checks).hasSizeGreaterThan(150);
    assertThat(checks.path(0).propertyNames()).containsExactly("id", "severity", "sentence");
  }

  @Test
  void theListShowsEveryCheck() {
    assertThat(run("--list")).isZero();
    assertThat(out.toString().lines())
        .hasSizeGreaterThan(150)
        .allMatch(line -> line.matches("[a-z-]+\\.\\S+ +(MUST  |SHOULD)  .+"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          | missing required parameter: PLUGIN
          /nonexistent/bridge | /nonexistent/bridge is not an executable file
          /nope | /nope is not an executable file
          /usr/lib/cni/dhcp | no built-in configuration for "dhcp": give one with --config, and what it is with --kind (known are bandwidth, bridge, calico, calico-ipam, firewall, flannel, host-local, ipam, loopback, macvlan, portmap, ptp, sbr, static, tuning)
          /usr/lib/cni/static --kind daemon | "daemon" is not a kind of plugin: interface, loopback, ipam, chained
          /usr/lib/cni/static --only nothing | there is no check or topic called "nothing"; --list shows them all
          /usr/lib/cni/static --config /nonexistent | cannot read /nonexistent: there is no such file
          /usr/lib/cni/static --expect /nonexistent | cannot read /nonexistent: there is no such file
          /usr/lib/cni/static --limit 0 | the time limit must be positive
          /usr/lib/cni/static --limit soon | invalid value for option '--limit': 'soon' is not an int
          /usr/lib/cni/static --netns /nonexistent | /nonexistent is not a network namespace (open /nonexistent: No such file or directory (ENOENT))
          /usr/lib/cni/static --netns /dev/null | /dev/null is not a network namespace (open network namespace /dev/null: Invalid argument (EINVAL): it is no network namespace)
          /usr/lib/cni/static --netns /proc/self/ns/net | /proc/self/ns/net is the network namespace of this very command, and not for trying plugins in
          """)
  void nonsenseIsExitCode2AndOneLine(String arguments, String message) {
    assertThat(run(arguments == null ? new String[0] : arguments.split(" ", -1))).isEqualTo(2);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines(
            "ocicat conformance: %s; see \"ocicat conformance --help\"".formatted(message));
    assertThat(out.toString()).isEmpty();
  }

  private int run(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "conformance";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    ErrorReporter reporter = new ErrorReporter(new PrintWriter(err), false);
    return Ocicat.run(Ocicat.commandLine(), reporter, new PrintWriter(out, true), all);
  }
}
