package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.daemon.wire.WireReply;
import io.ocicat.netlink.linux.UnixSocket;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Input is hostile, and so may be its sender. */
@Hosts
class SecurityTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** Valid as names of interfaces. */
  private static final List<String> KERNEL_ALLOWS = List.of("-x", "ä");

  @TempDir Path folder;

  @Test
  void onlyTheOwnerReachesSocketAndRecords(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Files.createDirectory(ocicat.run());
    Files.setPosixFilePermissions(ocicat.run(), PosixFilePermissions.fromString("rwxrwxrwx"));
    try (DaemonProcess _ = ocicat.startDaemon()) {
      new Pod(ocicat, container, "c1", 8080).add().run();
      Set<String> modes = new TreeSet<>();
      for (Path root : List.of(ocicat.run(), ocicat.state())) {
        try (Stream<Path> files = Files.walk(root)) {
          for (Path file : files.toList()) {
            String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
            modes.add((Files.isDirectory(file) ? "d" : "f") + mode);
          }
        }
      }
      assertThat(modes).containsExactly("drwx------", "frw-------");
      new Pod(ocicat, container, "c1", 8080).del().run();
    }
  }

  @Test
  void aRunDirectoryThatIsNotOursIsRefused(Host host) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Files.createSymbolicLink(ocicat.run(), elsewhere);
    Output linked = ocicat.daemon().attempt();
    assertThat(linked.exitCode()).isEqualTo(1);
    assertThat(linked.stderr()).contains("is a symbolic link");
    assertThat(elsewhere).isEmptyDirectory();

    Files.delete(ocicat.run());
    Files.createDirectory(ocicat.run());
    Command.of("chown", "65534", ocicat.run().toString()).run();
    Output foreign = ocicat.daemon().attempt();
    assertThat(foreign.exitCode()).isEqualTo(1);
    assertThat(foreign.stderr()).contains("it belongs to uid 65534");
  }

  /** Review R15: a call without a daemon refuses what the daemon refuses. */
  @Test
  void aCallWithoutADaemonRefusesARunDirectoryThatIsNotOurs(Host host, Host container)
      throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      daemon.stop();
    }
    List<String> nothing = Sweep.of(ocicat, container);

    Command.of("chown", "65534", ocicat.run().toString()).run();
    assertThat(refusal(pod, nothing)).contains("belongs to uid 65534");
    Command.of("chown", "0", ocicat.run().toString()).run();

    Command.of("chmod", "777", ocicat.run().toString()).run();
    assertThat(refusal(pod, nothing)).contains("others may write");
    Command.of("chmod", "700", ocicat.run().toString()).run();

    Path journal = ocicat.run().resolve("journal");
    Path elsewhere = folder.resolve("elsewhere");
    Files.move(journal, elsewhere);
    Files.createSymbolicLink(journal, elsewhere);
    assertThat(refusal(pod, nothing)).contains("is a link");
    assertThat(elsewhere).isEmptyDirectory();
    Files.delete(journal);
    Files.move(elsewhere, journal);

    Files.move(ocicat.run(), elsewhere);
    Files.createSymbolicLink(ocicat.run(), elsewhere);
    Files.deleteIfExists(elsewhere.resolve("attachments.lock"));
    assertThat(refusal(pod, nothing)).contains("is a link");
    assertThat(elsewhere.resolve("attachments.lock")).doesNotExist();
  }

  private static String refusal(Pod pod, List<String> nothing) {
    String said = "";
    for (Command call : List.of(pod.add(), pod.del())) {
      Output output = pod.ocicat().callAlone(call).attempt();
      assertThat(output.exitCode()).as("%s", output).isEqualTo(1);
      assertThat(output.json().get("code").asInt()).as("%s", output).isEqualTo(5);
      assertThat(output.stderr()).isEmpty();
      said = output.json().get("msg").asString();
      assertThat(said).doesNotContain("\n");
      assertThat(Sweep.difference(nothing, Sweep.of(pod.ocicat(), pod.host()))).isEmpty();
    }
    return said;
  }

  @Test
  void nobodyButRootIsServedEvenIfTheFilesAllowIt(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    ocicat.launcher("echo alone");
    Command.of("chmod", "-R", "a+rwX", folder.toString()).run();
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    Command add = pod.add();
    List<String> argv = new ArrayList<>(add.argv());
    argv.addAll(
        argv.indexOf("--") + 1,
        List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
    Command asNobody =
        new Command(argv, add.environment(), add.directory(), add.stdin(), add.limit());
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      assertThat(asNobody.run().stdout()).isEqualTo("alone\n");
      assertThat(daemon.log()).as("it did not even reach it").doesNotContain("65534");

      Command.of("chmod", "711", ocicat.run().toString()).run();
      Command.of("chmod", "666", ocicat.run().resolve("ocicatd.sock").toString()).run();
      assertThat(asNobody.run().stdout()).isEqualTo("alone\n");
      daemon.awaitLogged("permission denied: this socket needs root, not uid 65534");
      assertThat(host.exec("ip", "link").stdout()).doesNotContain("br0");
    }
  }

  @Test
  void framesThatAreNoneAreDeclinedAndForgotten(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    JavaClient client = new JavaClient(ocicat);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      pod.add().run();
      pod.del().run();
      int descriptors = daemon.descriptors();
      byte[] huge = new WireReply.Working().bytes();
      byte[] bad = new byte[200];
      java.util.Arrays.fill(bad, (byte) 0xff);
      System.arraycopy(huge, 0, bad, 0, 8);
      for (byte[] bytes : List.of(new byte[100], bad)) {
        try (UnixSocket socket = client.connect()) {
          socket.send(bytes, LIMIT);
          assertThat(JavaClient.answer(socket)).isInstanceOf(WireReply.Declined.class);
        }
      }
      for (String plugin : List.of("../bridge", "bridge/", "", "/bin/sh", "no-such", "br\0idge")) {
        WireReply answer = client.ask(pod.add(), plugin, host, container, System.nanoTime());
        assertThat(answer).as(plugin).isInstanceOf(WireReply.Declined.class);
      }
      pod.add().run();
      pod.del().run();
      Eventually.passes(
          LIMIT, () -> assertThat(daemon.descriptors()).isLessThanOrEqualTo(descriptors));
      assertThat(daemon.log()).doesNotContain("a call failed unexpectedly");
    }
    assertThat(ocicat.oneShots()).isEmpty();
  }

  @Test
  void silentCallersBlockNobody(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    JavaClient client = new JavaClient(ocicat);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    List<UnixSocket> silent = new ArrayList<>();
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      for (int i = 0; i < 300; i++) {
        UnixSocket socket = client.connect();
        silent.add(socket);
        if (i % 2 == 0) {
          socket.send(new byte[] {'O'}, LIMIT);
        }
      }
      pod.add().run();
      pod.del().run();
      assertThat(ocicat.oneShots()).isEmpty();
      assertThat(daemon.isAlive()).isTrue();
    } finally {
      silent.forEach(UnixSocket::close);
    }
  }

  @Test
  void aDaemonThatRanOutOfDescriptorsServesAgainWhenItHasSome(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host).startedBy("prlimit", "--nofile=64:64");
    JavaClient client = new JavaClient(ocicat);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      pod.add().run();
      pod.del().run();
      List<UnixSocket> silent = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        silent.add(client.connect());
      }
      Eventually.await("all its descriptors to be used", () -> daemon.descriptors() >= 60);
      silent.forEach(UnixSocket::close);
      Eventually.await("descriptors to be free", LIMIT, () -> daemon.descriptors() < 50);
      int alone = ocicat.oneShots().size();
      pod.add().run();
      pod.del().run();
      assertThat(ocicat.oneShots()).hasSize(alone);
    }
  }

  @Test
  void aDaemonWithoutAnyDescriptorGoesOn(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      pod.add().run();
      limitDescriptors(daemon, 6);
      Eventually.await("it to notice", () -> daemon.log().contains("cannot check its own state"));
      limitDescriptors(daemon, 1024);
      Eventually.await("the daemon to serve again", LIMIT, () -> isServed(ocicat, pod));
      assertThat(daemon.isAlive()).isTrue();
    }
  }

  private static void limitDescriptors(DaemonProcess daemon, int limit) {
    Command.of("prlimit", "--pid", String.valueOf(daemon.pid()), "--nofile=%d:".formatted(limit))
        .run();
  }

  private static boolean isServed(Installation ocicat, Pod pod) {
    int alone = ocicat.oneShots().size();
    pod.del().run();
    return ocicat.oneShots().size() == alone;
  }

  @Test
  void namesThatArePathsAreRefusedAndMakeNoFile(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    List<String> paths =
        List.of(
            "../x", "..", ".", "/etc/x", "a/b", "a/../../b", "a b", "a\nb", "%2e%2e/x", "ä", "-x");
    try (DaemonProcess _ = ocicat.startDaemon()) {
      pod.del().run();
      List<String> files = allFiles();
      for (String path : paths) {
        for (String verb : List.of("ADD", "DEL")) {
          Command call = pod.call("bridge", verb, pod.bridgeConf());
          if (!KERNEL_ALLOWS.contains(path)) {
            refused(call.env("CNI_IFNAME", path), 4);
          }
          refused(call.env("CNI_CONTAINERID", path), 4);
          String network = path.replace("\n", "\\n");
          refused(
              call.stdin(
                  call.stdin().replace("\"name\":\"faults\"", "\"name\":\"" + network + "\"")),
              7);
          refused(
              call.stdin(
                  call.stdin().replace("\"type\":\"host-local\"", "\"type\":\"" + network + "\"")),
              -1);
        }
      }
      refused(pod.add().env("CNI_IFNAME", "abcdefghijklmnop"), 4);
      assertThat(allFiles()).isEqualTo(files);
    }
    assertThat(ocicat.oneShots()).isEmpty();
  }

  private static void refused(Command call, int code) {
    Output output = call.attempt();
    // Without an ADD before it, DEL may have no use for the invalid name.
    if (code < 0 && "DEL".equals(call.environment().get("CNI_COMMAND"))) {
      return;
    }
    assertThat(output.exitCode())
        .as("%s %s: %s", call.environment(), call.stdin(), output)
        .isEqualTo(1);
    if (code > 0) {
      assertThat(output.json().get("code").asInt())
          .as("%s %s: %s", call.environment(), call.stdin(), output)
          .isEqualTo(code);
    }
  }

  private List<String> allFiles() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.map(Path::toString).sorted().toList();
    }
  }
}
