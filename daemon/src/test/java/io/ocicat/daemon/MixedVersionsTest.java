package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.exec.PluginReply;
import io.ocicat.daemon.wire.FilesystemView;
import io.ocicat.daemon.wire.WireReply;
import io.ocicat.daemon.wire.WireRequest;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Received;
import io.ocicat.netlink.linux.UnixSocket;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An upgrade in progress, at the wire: the files of the plugins are of another version than the
 * daemon that runs. Minor versions understand each other; with another major version the call is
 * made without the daemon.
 */
@Hosts
class MixedVersionsTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int MAJOR_AT = 4;
  private static final int MINOR_AT = 6;
  private static final int NAME_LENGTH_AT = 8;
  private static final int ENVIRONMENT_LENGTH_AT = 12;
  private static final int STDIN_LENGTH_AT = 16;
  private static final int HEADER = 72;
  private static final byte[] NO_DIRECTORY = {'=', 0};

  @TempDir Path folder;

  /** One that knows neither the working directory (1.1) nor names of calls (1.2). */
  @Test
  void theFirstShimIsServedByThisDaemon(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess _ = ocicat.startDaemon()) {
      pod.add().run();
      pod.del().run();
      List<String> nothing = Sweep.of(ocicat, container);

      WireReply added = ask(ocicat, pod.add(), host, container, MixedVersionsTest::ofTheFirst);
      assertThat(exitCode(added)).as("%s", added).isZero();
      List<String> attached = Sweep.of(ocicat, container);
      // It repeats what was interrupted without a name: nobody can tell that from a second ADD.
      Command again = pod.add().env("OCICAT_CALL_AGAIN", "1");
      WireReply refused = ask(ocicat, again, host, container, MixedVersionsTest::ofTheFirst);
      assertThat(exitCode(refused)).as("%s", refused).isEqualTo(1);
      assertThat(Sweep.difference(attached, Sweep.of(ocicat, container))).isEmpty();

      // What one version attached the other removes.
      pod.del().run();
      assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container))).isEmpty();
      pod.add().run();
      WireReply deleted = ask(ocicat, pod.del(), host, container, MixedVersionsTest::ofTheFirst);
      assertThat(exitCode(deleted)).as("%s", deleted).isZero();
      assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container))).isEmpty();
    }
    assertThat(ocicat.oneShots()).isEmpty();
  }

  @Test
  void aLaterShimIsServedOrToldToDoItAlone(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess _ = ocicat.startDaemon()) {
      Command later = pod.add().env("OCICAT_OF_A_LATER_VERSION", "1");
      WireReply added = ask(ocicat, later, host, container, frame -> with(frame, MINOR_AT, 9));
      assertThat(exitCode(added)).as("%s", added).isZero();
      pod.del().run();

      WireReply declined = ask(ocicat, later, host, container, frame -> with(frame, MAJOR_AT, 2));
      assertThat(declined)
          .isInstanceOfSatisfying(
              WireReply.Declined.class, answer -> assertThat(answer.why()).contains("protocol 2."));
      assertThat(host.exec("ip", "link").stdout()).doesNotContain("veth");
    }
  }

  @Test
  void thisShimIsServedByDaemonsOfOtherMinorVersions(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    ocicat.launcher("echo alone");
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    byte[] done =
        new WireReply.Done(new PluginReply(7, "out".getBytes(StandardCharsets.UTF_8), "err"))
            .bytes();
    try (FakeDaemon daemon = new FakeDaemon(ocicat)) {
      for (int minor : new int[] {0, 1, 9}) {
        Output output =
            daemon.serve(
                pod.add(),
                caller -> {
                  Map<String, String> variables = variablesAsTheFirstReads(caller);
                  assertThat(variables)
                      .as("to the first daemon a name is a variable like others")
                      .containsEntry("CNI_CONTAINERID", "c1")
                      .containsKey("OCICAT_CALL_ID");
                  caller.send(with(new WireReply.Working().bytes(), MINOR_AT, minor), LIMIT);
                  caller.send(with(done, MINOR_AT, minor), LIMIT);
                });
        assertThat(output.exitCode()).as("%s", output).isEqualTo(7);
        assertThat(output.stdout()).isEqualTo("out");
        assertThat(output.stderr()).isEqualTo("err");
      }
    }
    assertThat(ocicat.oneShots()).isEmpty();
  }

  @Test
  void whatADaemonOfAnotherMajorVersionDeclinesIsDoneAlone(Host host, Host container)
      throws IOException {
    Installation ocicat = Installation.in(folder, host);
    ocicat.launcher("echo alone");
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    byte[] declined = with(new WireReply.Declined("protocol 1.2").bytes(), MAJOR_AT, 2);
    try (FakeDaemon daemon = new FakeDaemon(ocicat)) {
      for (Command call : List.of(pod.add(), pod.del())) {
        Output output =
            daemon.serveTwice(
                call,
                caller -> {
                  variablesAsTheFirstReads(caller);
                  caller.send(declined, LIMIT);
                });
        assertThat(output.stdout()).as("%s", output).isEqualTo("alone\n");
      }
    }
    assertThat(ocicat.oneShots()).hasSize(2);
  }

  private static int exitCode(WireReply answer) {
    return answer instanceof WireReply.Done(PluginReply reply) ? reply.exitCode() : -1;
  }

  @FunctionalInterface
  private interface Version {
    byte[] of(byte[] frame);
  }

  private static byte[] with(byte[] frame, int at, int number) {
    byte[] changed = frame.clone();
    changed[at] = (byte) number;
    return changed;
  }

  /** Takes the entry of the working directory out of the environment. */
  private static byte[] ofTheFirst(byte[] frame) {
    ByteBuffer in = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
    int environment = HEADER + in.getInt(NAME_LENGTH_AT);
    assertThat(Arrays.copyOfRange(frame, environment, environment + 2)).isEqualTo(NO_DIRECTORY);
    ByteBuffer out = ByteBuffer.allocate(frame.length - 2).order(ByteOrder.LITTLE_ENDIAN);
    out.put(frame, 0, environment);
    out.put(frame, environment + 2, frame.length - environment - 2);
    out.putInt(ENVIRONMENT_LENGTH_AT, in.getInt(ENVIRONMENT_LENGTH_AT) - 2);
    return with(out.array(), MINOR_AT, 0);
  }

  private static WireReply ask(
      Installation ocicat, Command call, Host host, Host container, Version version) {
    try (UnixSocket socket = new JavaClient(ocicat).connect();
        Fd own = Fd.open(host.path(), Fd.O_RDONLY, 0);
        Fd netns = Fd.open(container.path(), Fd.O_RDONLY, 0)) {
      WireRequest request =
          new WireRequest(
              "bridge",
              call.environment(),
              call.stdin().getBytes(StandardCharsets.UTF_8),
              LIMIT,
              System.nanoTime(),
              FilesystemView.own(),
              Optional.of(own),
              Optional.of(netns),
              "");
      socket.send(version.of(request.bytes()), LIMIT, own.number(), netns.number());
      return JavaClient.answer(socket);
    }
  }

  /**
   * By what version 1.0 knows of a frame: the header's size, the three lengths and the parts. It
   * passes over variables without a name.
   */
  private static Map<String, String> variablesAsTheFirstReads(UnixSocket caller) {
    Received first = caller.receive(1 << 20, 2, LIMIT).orElseThrow();
    first.descriptors().forEach(Fd::close);
    ByteBuffer frame = ByteBuffer.wrap(first.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    int name = frame.getInt(NAME_LENGTH_AT);
    int environment = frame.getInt(ENVIRONMENT_LENGTH_AT);
    int stdin = frame.getInt(STDIN_LENGTH_AT);
    assertThat(first.bytes()).hasSize(HEADER + name + environment + stdin);
    Map<String, String> variables = new HashMap<>();
    String block = new String(first.bytes(), HEADER + name, environment, StandardCharsets.UTF_8);
    for (String variable : block.split("\0", -1)) {
      int equals = variable.indexOf('=');
      if (equals > 0) {
        variables.put(variable.substring(0, equals), variable.substring(equals + 1));
      }
    }
    return variables;
  }
}
