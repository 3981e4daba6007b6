package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.exec.PluginReply;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.wire.FilesystemView;
import io.ocicat.daemon.wire.WireReply;
import io.ocicat.daemon.wire.WireRequest;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.UnixSocket;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a runtime sees of a plugin that is the shim, with a daemon and without. */
@Hosts
class ShimTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path folder;

  @Test
  void aCallThroughTheDaemonIsTheCallWithoutOne(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    List<Output> alone = callEveryVerb(pod);
    // The shim answers VERSION by itself.
    assertThat(ocicat.oneShots()).hasSize(alone.size() - 1);
    List<String> nothing = Sweep.of(ocicat, container);

    try (DaemonProcess daemon = ocicat.startDaemon()) {
      List<Output> served = callEveryVerb(pod);
      int descriptors = daemon.descriptors();

      assertThat(ocicat.oneShots()).as("no more than before").hasSize(alone.size() - 1);
      for (int i = 0; i < alone.size(); i++) {
        assertThat(withoutChance(served.get(i))).isEqualTo(withoutChance(alone.get(i)));
      }
      assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container))).isEmpty();
      callEveryVerb(pod);
      Eventually.passes(
          Duration.ofSeconds(5), () -> assertThat(daemon.descriptors()).isEqualTo(descriptors));
      assertThat(daemon.stop().exitCode()).as(daemon.log()).isEqualTo(143);
    }
    assertThat(ocicat.run().resolve("ocicatd.sock")).doesNotExist();
  }

  /** Each verb once, including calls that fail, and one without a verb. */
  private static List<Output> callEveryVerb(Pod pod) {
    List<Output> outputs = new ArrayList<>();
    Output added = pod.add().run();
    outputs.add(added);
    Output mapped = pod.mapPort(added).run();
    outputs.add(mapped);
    outputs.add(pod.add().attempt());
    String checked =
        pod.bridgeConf().replaceFirst("\\}\\s*$", ",\"prevResult\":" + added.stdout() + "}");
    outputs.add(pod.call("bridge", "CHECK", checked).run());
    outputs.add(pod.call("bridge", "STATUS", pod.bridgeConf()).run());
    outputs.add(pod.call("bridge", "VERSION", "").run());
    outputs.add(pod.call("bridge", "", "").run());
    outputs.add(pod.call("bridge", "NONSENSE", pod.bridgeConf()).attempt());
    outputs.add(pod.unmapPort().run());
    outputs.add(pod.del().run());
    outputs.add(pod.del().run());
    outputs.add(pod.call("bridge", "CHECK", checked).attempt());
    return outputs;
  }

  /** MACs and the names of veths are random, and each ADD allocates the next address. */
  private static String withoutChance(Output output) {
    return (output.exitCode() + output.stdout() + output.stderr())
        .replaceAll("([0-9a-f]{2}:){5}[0-9a-f]{2}", "<mac>")
        .replaceAll("veth[0-9a-f]+", "<veth>")
        .replaceAll("10\\.88\\.0\\.([2-9]|\\d\\d+)", "<address>");
  }

  @Test
  void whatTheDaemonCannotSeeAsItsCallerDoesIsDoneWithoutIt(Host host, Host container)
      throws IOException {
    Installation ocicat = Installation.in(folder, host);
    ocicat.launcher("cat >&2; echo alone");
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    Path root = Files.createDirectories(folder.resolve("root"));
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      assertThat(through(pod.add(), "unshare", "--mount").run().stdout()).isEqualTo("alone\n");
      daemon.awaitLogged("another mount namespace");
      assertThat(through(pod.add(), "unshare", "--user", "--map-root-user").run().stderr())
          .as("stdin is handed on")
          .isEqualTo(pod.bridgeConf());
      daemon.awaitLogged("another user namespace");

      String bound =
          "mount --rbind / '%s' && exec chroot '%s' '%s'"
              .formatted(root, root, ocicat.executable("bridge"));
      assertThat(through(pod.add(), "unshare", "--mount", "sh", "-c", bound).run().stdout())
          .isEqualTo("alone\n");
      assertThat(ocicat.oneShots()).hasSize(3).containsOnly("plugin bridge:ADD:c1");
      assertThat(host.exec("ip", "link").stdout()).doesNotContain("br0");
    }
  }

  /** Review R4: two containers got one address, from two folders called "leases". */
  @Test
  void relativePathsMeanTheCallersDirectory(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    ocicat.launcher("pwd");
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    String relative = pod.bridgeConf().replace(ocicat.leases().toString(), "leases");
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      Output output = pod.call("bridge", "ADD", relative).in(elsewhere).run();
      assertThat(output.stdout()).isEqualTo(elsewhere + "\n");
      daemon.awaitLogged("relative path");
      output = pod.add().env("CNI_PATH", "/opt/cni/bin:bin").in(elsewhere).run();
      assertThat(output.stdout()).isEqualTo(elsewhere + "\n");

      pod.add().in(elsewhere).run();
      pod.del().in(elsewhere).run();
      assertThat(ocicat.oneShots()).as("absolute ones mean the same everywhere").hasSize(2);
    }
  }

  /** Review R15: the shim did not check who answers. */
  @Test
  void onlyRootIsTakenForTheDaemon(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    ocicat.launcher("echo alone");
    Files.createDirectory(ocicat.run());
    Command.of("chmod", "-R", "a+rwX", folder.toString()).run();
    String listen = "--listen=" + ocicat.run().resolve("ocicatd.sock");
    List<String> nobody = List.of("setpriv", "--reuid=65534", "--clear-groups");
    List<String> argv = new ArrayList<>(nobody);
    argv.addAll(List.of("systemd-socket-activate", listen, "cat"));
    try (Background impostor = Command.of(argv.toArray(String[]::new)).start()) {
      Eventually.await("somebody else to listen", () -> impostor.stderr().contains("Listening"));
      Output output = new Pod(ocicat, container, "c1", 8080).add().run();
      assertThat(output.stdout()).isEqualTo("alone\n");
    }
  }

  /** The same command, started by another one after nsenter. */
  private static Command through(Command call, String... before) {
    List<String> argv = new ArrayList<>(call.argv());
    int separator = argv.indexOf("--");
    argv.addAll(separator + 1, List.of(before));
    return new Command(argv, call.environment(), call.directory(), call.stdin(), call.limit());
  }

  @Test
  void aDaemonThatIsSilentIsNotWaitedForLong(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    ocicat.launcher("echo alone");
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      daemon.signal("STOP");
      try (Background del = pod.del().start();
          Background add = pod.add().start()) {
        assertThat(del.await(Duration.ofSeconds(25)).stdout()).isEqualTo("alone\n");
        Output refused = add.await(Duration.ofSeconds(25));
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.json().get("code").asInt()).isEqualTo(11);
      }
      daemon.signal("CONT");
      Eventually.await(
          "the daemon to see that its caller has gone", () -> daemon.log().contains("is gone"));
      Output added = pod.add().run();
      assertThat(added.json().get("ips")).hasSize(1);
      pod.del().run();
    }
  }

  @Test
  void withoutADaemonAndALauncherItSaysWhatToDo(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Files.delete(ocicat.home().resolve("bin/ocicat"));
    Output output = new Pod(ocicat, container, "c1", 1).add().attempt();
    assertThat(output.exitCode()).isEqualTo(1);
    assertThat(output.json().get("code").asInt()).isEqualTo(5);
    assertThat(output.json().get("details").asString()).contains("ocicat install");
  }

  @Test
  void aNamespaceMayBeAnything(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Command.of("mkfifo", folder.resolve("fifo").toString()).run();
    Files.writeString(folder.resolve("file"), "no namespace");
    try (DaemonProcess _ = ocicat.startDaemon()) {
      Pod pod = new Pod(ocicat, container, "c1", 8080);
      for (String name : List.of("fifo", "file", "missing", "")) {
        String path = name.isEmpty() ? "" : folder.resolve(name).toString();
        Output added = pod.add().env("CNI_NETNS", path).attempt();
        assertThat(added.exitCode()).as("%s: %s", name, added).isEqualTo(1);
        assertThat(added.json().get("code").asInt()).as("%s: %s", name, added).isPositive();
        assertThat(pod.del().env("CNI_NETNS", path).attempt().exitCode()).as(name).isZero();
      }
      assertThat(ocicat.oneShots()).isEmpty();
      assertThat(ocicat.records("journal")).isEmpty();
      assertThat(ocicat.records("attachments")).isEmpty();
    }
  }

  @Test
  void whatIsTooLongIsRefusedAndVersionReadsNothing(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    try (DaemonProcess _ = ocicat.startDaemon()) {
      Pod pod = new Pod(ocicat, container, "c1", 8080);
      Output output = pod.add().stdin("{" + " ".repeat(5 << 20) + "}").attempt();
      assertThat(output.exitCode()).isEqualTo(1);
      assertThat(output.json().get("code").asInt()).as("%s", output).isPositive();
      Path shim = ocicat.executable("bridge");
      Path fifo = folder.resolve("fifo");
      Command.of("mkfifo", fifo.toString()).run();
      Output version =
          Command.of("sh", "-c", "exec \"$0\" <>\"$1\"", shim.toString(), fifo.toString())
              .env("CNI_COMMAND", "VERSION")
              .env("OCICAT_RUN_DIR", ocicat.run().toString())
              .start()
              .await(Duration.ofSeconds(25));
      assertThat(version.json().has("supportedVersions")).isTrue();
      // The daemon leaves requests this long to a process with its own memory.
      assertThat(ocicat.oneShots()).containsExactly("plugin bridge:ADD:c1");
    }
  }

  @Test
  void theShimSendsWhatTheDaemonNeeds(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (FakeDaemon daemon = new FakeDaemon(ocicat)) {
      try (Background shim = pod.add().start();
          UnixSocket caller = daemon.accept();
          WireRequest request =
              WireRequest.receive(caller, LIMIT, (_, _, _) -> true).orElseThrow()) {
        assertThat(request.plugin()).isEqualTo("bridge");
        assertThat(request.variable("CNI_CONTAINERID")).isEqualTo("c1");
        assertThat(request.stdin()).asString().isEqualTo(pod.bridgeConf());
        assertThat(request.place()).isEqualTo(FilesystemView.own());
        assertThat(request.limit()).isBetween(Duration.ofSeconds(30), Duration.ofMinutes(1));
        assertThat(request.directory()).isEqualTo(Path.of("").toAbsolutePath().toString());
        assertThat(request.environment()).doesNotContainKey("");
        assertThat(request.startedNanos()).isLessThan(System.nanoTime());
        assertThat(id(request.hostNetns().orElseThrow())).isEqualTo(NamespaceId.of(host.path()));
        assertThat(id(request.containerNetns().orElseThrow()))
            .isEqualTo(NamespaceId.of(container.path()));

        caller.send(new WireReply.Working().bytes(), LIMIT);
        PluginReply reply = new PluginReply(3, "out".getBytes(StandardCharsets.UTF_8), "err");
        caller.send(new WireReply.Done(reply).bytes(), LIMIT);
        Output output = shim.await(LIMIT);
        assertThat(output.exitCode()).isEqualTo(3);
        assertThat(output.stdout()).isEqualTo("out");
        assertThat(output.stderr()).isEqualTo("err");
      }
    }
  }

  private static NamespaceId id(Fd namespace) {
    return new NamespaceId(namespace.id().device(), namespace.id().inode());
  }

  @Test
  void aCallThatWasNotBegunIsMadeWithoutTheDaemon(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    ocicat.launcher("cat");
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (FakeDaemon daemon = new FakeDaemon(ocicat)) {
      for (String verb : List.of("ADD", "DEL", "CHECK")) {
        String alone = pod.bridgeConf();
        Command call = pod.call("bridge", verb, alone);
        assertThat(daemon.reset(call, 3).stdout()).as("reset").isEqualTo(alone);
        Output declined =
            daemon.serve(
                call,
                caller -> {
                  WireRequest.receive(caller, LIMIT, (_, _, _) -> true).orElseThrow().close();
                  caller.send(new WireReply.Declined("not here").bytes(), LIMIT);
                });
        assertThat(declined.stdout()).as("declined").isEqualTo(alone);
      }
    }
    assertThat(pod.add().run().stdout()).as("refused").isEqualTo(pod.bridgeConf());
  }

  /** Review C4: a call whose daemon dies in the middle of it is repeated once, and then no more. */
  @Test
  void aCallThatWasBegunIsMadeAgainInItsOwnName(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    ocicat.launcher("echo \"$OCICAT_CALL_ID $OCICAT_CALL_AGAIN\"");
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    Set<String> names = new HashSet<>();
    List<byte[]> last =
        List.of(new byte[0], new WireReply.Working().bytes(), new byte[] {'O', 'C'}, new byte[100]);
    try (FakeDaemon daemon = new FakeDaemon(ocicat)) {
      for (String verb : List.of("ADD", "DEL", "CHECK")) {
        for (byte[] bytes : last) {
          Command call =
              pod.call("bridge", verb, pod.bridgeConf())
                  .env("OCICAT_CALL_ID", "of whoever called the caller")
                  .env("OCICAT_CALL_AGAIN", "1");
          List<Map<String, String>> asked = new ArrayList<>();
          Output output = daemon.serveTwice(call, caller -> asked.add(interrupt(caller, bytes)));
          String name = asked.getFirst().get("OCICAT_CALL_ID");
          assertThat(asked)
              .as(verb)
              .extracting(each -> each.get("OCICAT_CALL_ID"))
              .containsOnly(name);
          assertThat(asked)
              .as(verb)
              .extracting(each -> each.get("OCICAT_CALL_AGAIN"))
              .containsExactly(null, "1");
          assertThat(output.stdout()).as(verb).isEqualTo(name + " 1\n");
          names.add(name);
        }
      }
    }
    assertThat(names).as("each call has its own").hasSize(3 * last.size());
  }

  private static Map<String, String> interrupt(UnixSocket caller, byte[] last) {
    try (WireRequest request =
        WireRequest.receive(caller, LIMIT, (_, _, _) -> true).orElseThrow()) {
      if (last.length > 0) {
        caller.send(last, LIMIT);
      }
      return request.environment();
    }
  }
}
