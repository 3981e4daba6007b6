package io.ocicat.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Command;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Mistakes of new users: each gets one line on standard error that says what to do, and leaves
 * nothing behind.
 */
class MishapTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir private Path directory;
  private String launcher;
  private String lessKernel;

  @BeforeEach
  void install() throws IOException {
    launcher = PluginDirectory.withShims(directory).resolve("bin/ocicat").toString();
    lessKernel = directory.resolve("distribution/lesskernel").toString();
    Command.of("gcc", "-O1", "-Wall", "-Wextra", "-o", lessKernel, "src/test/c/lesskernel.c").run();
  }

  private Command command(List<String> before, String... arguments) {
    List<String> argv = new ArrayList<>(before);
    argv.add(launcher);
    argv.addAll(List.of(arguments));
    return Command.of(argv)
        .env("XDG_RUNTIME_DIR", directory.toString())
        .env("OCICAT_RUN_DIR", directory.resolve("run").toString())
        .env("OCICAT_STATE_DIR", directory.resolve("state").toString())
        .limit(LIMIT);
  }

  private void refused(Output output, String... words) {
    assertThat(output.exitCode()).isEqualTo(1);
    assertThat(output.stderr()).contains(words).startsWith("ocicat: ").hasLineCount(1);
    assertThat(directory.resolve("ocicat-demo-0.json")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({
    "netfilter,,CONFIG_NETFILTER_NETLINK",
    "bridge,--flannel,CONFIG_BRIDGE",
    "veth,,CONFIG_VETH"
  })
  void whatTheKernelLacksIsReported(String lacking, @Nullable String option, String wanted) {
    List<String> before = List.of(lessKernel, lacking);
    Output output =
        (option == null ? command(before, "demo") : command(before, "demo", option)).attempt();
    refused(output, "this kernel ", "load ", "or take a kernel with " + wanted);
  }

  @ParameterizedTest
  @CsvSource({"netfilter,for nf_tables", "bridge,create bridge", "veth,create veth"})
  void soItIsToWhoeverAttachesAContainer(String lacking, String operation) throws IOException {
    Path networks = Files.createDirectory(directory.resolve("net.d"));
    Files.writeString(
        networks.resolve("10-blue.conflist"),
        """
        {"cniVersion": "1.1.0", "name": "blue", "plugins": [{"type": "bridge", "bridge": "blue0",
         "ipMasq": true, "ipam": {"type": "host-local", "dataDir": "%s", "subnet": "10.99.0.0/24"}}]}
        """
            .formatted(directory.resolve("leases")));
    String inAHostOfItsOwn =
        """
        unshare --net=/run/ocicat-mishap true
        ip link set lo up
        "$@"
        """;
    List<String> before =
        List.of(
            "unshare",
            "--mount",
            "--net",
            "sh",
            "-c",
            "mount -t tmpfs tmpfs /run\n: >/run/ocicat-mishap\n" + inAHostOfItsOwn,
            "sh",
            lessKernel,
            lacking);
    Output output =
        command(
                before,
                "net",
                "add",
                "blue",
                "/run/ocicat-mishap",
                "--conf-dir",
                networks.toString(),
                "--cache-dir",
                directory.resolve("cache").toString())
            .attempt();
    refused(output, operation, "this kernel lacks it: \"ocicat doctor\" says what to load");
    assertThat(directory.resolve("leases/blue/10.99.0.2")).doesNotExist();
  }

  @Test
  void whoIsNotRootHasTheDemoInAUserNamespace() {
    Output shown =
        command(List.of("unshare", "--user", "--map-user=1000", "--map-group=1000"), "demo").run();
    assertThat(shown.stdout().replaceAll("\\s+", " "))
        .contains("in a user namespace (you are not root)", "nothing is left of the pods");
    assertThat(shown.stderr()).isEmpty();
  }

  @Test
  void usersWithoutUserNamespacesLearnWhatToAllow() {
    refused(
        command(
                List.of(
                    "unshare",
                    "--user",
                    "--map-user=1000",
                    "--map-group=1000",
                    lessKernel,
                    "userns"),
                "demo")
            .attempt(),
        "you are not root, and no user namespace is available",
        "run it with sudo, or allow them (sysctl ");
  }

  @Test
  void rootOfAContainerLearnsWhichCapabilitiesAreMissing() {
    refused(
        command(
                List.of("setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin"),
                "demo")
            .attempt(),
        "root may not create namespaces here",
        "give it the capabilities SYS_ADMIN and NET_ADMIN");
  }

  @Test
  void soIsRootWhoMayMakeNamespacesButNotConfigureThem() {
    refused(
        command(
                List.of("setpriv", "--bounding-set", "-net_admin", "--inh-caps", "-net_admin"),
                "demo")
            .attempt(),
        "root may not create namespaces here (CAP_NET_ADMIN is missing)",
        "give it the capabilities SYS_ADMIN and NET_ADMIN");
  }

  @Test
  void aPortInUseIsNamedWithHowToFindItsOwner() throws IOException {
    Path pools = directory.resolve("pools.json");
    Files.writeString(
        pools, "{\"pools\": [{\"name\": \"a\", \"ranges\": [{\"subnet\": \"10.9.0.0/24\"}]}]}");
    Path tokens =
        Files.createFile(
            directory.resolve("tokens"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(tokens, "0123456789abcdef\n");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = String.valueOf(taken.getLocalPort());
      String[] words = {"127.0.0.1:" + port, "Address already in use", "ss -ltnp"};
      refused(command(List.of(), "daemon", "--metrics-port", port).attempt(), words);
      refused(
          command(
                  List.of(),
                  "ipam-server",
                  "--listen",
                  "127.0.0.1:" + port,
                  "--config",
                  pools.toString(),
                  "--token-file",
                  tokens.toString(),
                  "--db",
                  directory.resolve("ipam.db").toString())
              .attempt(),
          words);
    }
    assertThat(directory.resolve("run/ocicatd.sock")).doesNotExist();
  }

  @Test
  void aFullDiskIsReported() throws IOException {
    Path state = Files.createDirectory(directory.resolve("state"));
    Path pool = directory.resolve("pool.yaml");
    Files.writeString(
        pool,
        "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: a}, spec: {cidr: 10.9.0.0/16}}");
    String onAFullDisk =
        """
        mount -t tmpfs -o size=64k tmpfs "$OCICAT_STATE_DIR"
        head -c 1m /dev/zero >"$OCICAT_STATE_DIR/full" 2>/dev/null
        "$@"
        code=$?
        ls -A "$OCICAT_STATE_DIR"
        exit $code
        """;
    List<String> before = List.of("unshare", "--mount", "sh", "-c", onAFullDisk, "sh");
    refused(command(before, "apply", "-f", pool.toString()).attempt(), state.toString(), "full");
    Output install = command(before, "install", "--bin-dir", directory + "/bin").attempt();
    refused(install, "no space left on device", "make room");
    assertThat(install.stdout()).isEqualTo("full\n");
    assertThat(directory.resolve("bin")).doesNotExist();
  }
}
