package io.ocicat.cli.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.Ocicat;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code ocicat pod} as its users run it, on the Go plugins and on runc, both of Debian's. */
@Hosts
class PodCommandTest {
  private static final String NETWORK =
      """
      {"cniVersion":"0.4.0","name":"blue","plugins":[
        {"type":"bridge","bridge":"blue0","isGateway":true,
         "ipam":{"type":"host-local","dataDir":"@folder@/leases","subnet":"10.65.0.0/24",
                 "routes":[{"dst":"0.0.0.0/0"}]}},
        {"type":"portmap","snat":true,"capabilities":{"portMappings":true}}]}
      """;

  private Path folder;
  private Host host;

  @BeforeEach
  void configure(@TempDir Path directory, Host machine) throws IOException {
    host = machine;
    folder = directory;
    Files.createDirectories(folder.resolve("net.d"));
    Files.writeString(
        folder.resolve("net.d/10-blue.conflist"), NETWORK.replace("@folder@", folder.toString()));
    Files.createDirectories(folder.resolve("home/lib"));
    Command.of(
            Path.of("../sandbox/src/main/c/build").toAbsolutePath().toString(),
            folder.resolve("home/lib/pause").toString())
        .limit(Duration.ofMinutes(2))
        .run();
  }

  @AfterEach
  void cleanUp() {
    ocicat("rm", "--all", "--force");
    Command.of("umount", "-R", "-l", folder.resolve("run/pods/netns").toString()).attempt();
  }

  private Output ocicat(String... args) {
    List<String> argv =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-Docicat.home=" + folder.resolve("home"),
                "-cp",
                System.getProperty("java.class.path"),
                Ocicat.class.getName(),
                "pod",
                args[0],
                "--cache-dir",
                folder.resolve("cache").toString()));
    argv.addAll(List.of(args).subList(1, args.length));
    return host.command(argv.toArray(String[]::new))
        .env("OCICAT_RUN_DIR", folder.resolve("run").toString())
        .env("OCICAT_STATE_DIR", folder.resolve("state").toString())
        .env("NETCONFPATH", folder.resolve("net.d").toString())
        .env("CNI_PATH", "/usr/lib/cni")
        .limit(Duration.ofMinutes(1))
        .attempt();
  }

  private Output succeeds(String... args) {
    Output output = ocicat(args);
    assertThat(output.exitCode()).as(output.toString()).isZero();
    return output;
  }

  private void fails(List<String> words, String... args) {
    Output output = ocicat(args);
    assertThat(output.exitCode()).as(output.toString()).isNotZero();
    assertThat(output.stderr().lines()).as("one line: %s", output.stderr()).hasSize(1);
    assertThat(output.stderr()).contains(words);
  }

  /** What the pod's server says there; it may have been started only just now. */
  private static String hello(String where) {
    return "for i in $(seq 50); do busybox nc -w5 %s </dev/null && exit; sleep 0.2; done; exit 1"
        .formatted(where);
  }

  @Test
  void aPodFromRunToRemove(Host outside) {
    host.connect(outside, "192.0.2.1/24", "192.0.2.2/24");
    JsonNode web =
        succeeds(
                "run",
                "web",
                "--label",
                "app=web",
                "--port",
                "8080:80",
                "--dns",
                "10.96.0.10",
                "--log-root",
                folder.resolve("logs").toString(),
                "--trace",
                "--json",
                "--",
                "busybox",
                "nc",
                "-ll",
                "-p",
                "80",
                "-e",
                "echo",
                "hello")
            .json();
    assertThat(web.path("state").asString()).isEqualTo("READY");
    assertThat(web.path("ips").path(0).asString()).isEqualTo("10.65.0.2");
    assertThat(web.path("infra").asString()).isEqualTo("runc");
    assertThat(web.path("config").path("labels").path("app").asString()).isEqualTo("web");
    assertThat(web.path("trace").findValuesAsString("step"))
        .contains("checkpoint", "netns", "infra", "loopback", "plugin");
    assertThat(web.path("containers").path(0).path("running").asBoolean()).isTrue();

    fails(List.of("default/web exists already"), "run", "web");
    String drawn =
        succeeds(
                "run",
                "client",
                "--infra",
                "none",
                "--trace",
                "--log-root",
                folder.resolve("logs").toString())
            .stdout();
    assertThat(drawn).contains("run default/client", "reserve k8s_POD_client_default_", "█");
    assertThat(succeeds("exec", "web", "--", "hostname").stdout()).isEqualTo("web\n");
    assertThat(succeeds("exec", "web", "--", "cat", "/etc/resolv.conf").stdout())
        .isEqualTo("nameserver 10.96.0.10\n");
    assertThat(ocicat("exec", "web", "--", "sh", "-c", "exit 7").exitCode()).isEqualTo(7);
    assertThat(succeeds("exec", "client", "--", "sh", "-c", hello("10.65.0.2 80")).stdout())
        .as("at its own address")
        .isEqualTo("hello\n");
    assertThat(succeeds("exec", "client", "--", "sh", "-c", hello("10.65.0.1 8080")).stdout())
        .as("at the published port, from another pod")
        .isEqualTo("hello\n");
    assertThat(outside.exec("sh", "-c", hello("192.0.2.1 8080")).stdout())
        .as("at the published port, from another machine")
        .isEqualTo("hello\n");
    succeeds("exec", "web", "--detach", "--name", "sidecar", "--", "sleep", "98765");

    assertThat(succeeds("ls").stdout())
        .contains("NAMESPACE", "web", "client", "READY", "10.65.0.2", "10.65.0.3", "blue");
    assertThat(succeeds("ls", "--json", "--label", "app=web").json().path("pods").size())
        .isEqualTo(1);
    String id = web.path("id").asString();
    assertThat(succeeds("inspect", id.substring(0, 13)).json().path("containers").size())
        .isEqualTo(2);

    succeeds("stop", "default/web");
    assertThat(succeeds("inspect", "web").json().path("state").asString()).isEqualTo("NOTREADY");
    fails(List.of("default/web is not ready"), "exec", "web", "--", "true");
    succeeds("rm", "web", "client");
    assertThat(succeeds("ls", "--quiet").stdout()).isEmpty();
    assertThat(folder.resolve("logs")).isEmptyDirectory();
    assertThat(host.exec("ip", "-br", "link").stdout()).doesNotContain("veth");
  }

  /** Review U2. */
  @Test
  void aPodIsReadyOnlyWhileItsInterfaceAndAddressesAreThere() {
    JsonNode db = succeeds("run", "db", "--infra", "none", "--json", "--log-root", logs()).json();
    assertThat(succeeds("ls").stdout()).contains(" READY ").doesNotContain("REASON");
    String netns = db.path("netns").asString();

    Command.of("nsenter", "--net=" + netns, "ip", "address", "flush", "dev", "eth0").run();
    assertThat(succeeds("ls").stdout())
        .contains("REASON", "NOTREADY", "its eth0 has lost the address 10.65.0.2");
    Command.of("nsenter", "--net=" + netns, "ip", "link", "del", "eth0").run();
    assertThat(succeeds("ls", "--state", "NOTREADY").stdout())
        .contains("db", "it has no eth0 any more");
    assertThat(succeeds("ls", "--json").json().at("/pods/0/problem").asString())
        .isEqualTo("it has no eth0 any more");
    succeeds("exec", "db", "--", "true");
  }

  private String logs() {
    return folder.resolve("logs").toString();
  }

  @Test
  void whatCannotBeDoneIsSaidInALine() {
    fails(List.of("no pod nobody in namespace default", "ocicat pod ls"), "stop", "nobody");
    fails(List.of("no pod nobody"), "rm", "nobody");
    fails(List.of("name pods, or give --all"), "rm");
    fails(List.of("\"80:\" is not a port", "8080:80"), "run", "a", "--port", "80:");
    fails(
        List.of("ingress-bandwidth", "\"fast\""),
        "run",
        "a",
        "--annotation",
        "kubernetes.io/ingress-bandwidth=fast");
    fails(
        List.of("network green cannot be used"),
        "run",
        "a",
        "--network",
        "green",
        "--log-root",
        folder.resolve("logs").toString());
    fails(List.of("runtime handler \"docker\"", "runc", "none"), "run", "a", "--infra", "docker");
    assertThat(succeeds("ls", "--json").json().path("pods").isEmpty()).isTrue();
  }
}
