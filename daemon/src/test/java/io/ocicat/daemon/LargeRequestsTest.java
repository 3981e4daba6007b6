package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.daemon.wire.WireReply;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The daemon has the same memory limit as in the distribution, and exits when that is not enough.
 */
@Hosts
class LargeRequestsTest {
  private static final int CLIENTS = 64;

  /** The daemon's limit, without the frame's head and the variables. */
  private static final int LARGEST = (512 << 10) - (16 << 10);

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      textBlock =
          """
          long text            | "x":"%s"   | x
          many objects         | "x":[%s{}] | {},
          many short members   | "x":[%s{}] | {"abc":"def"},
          """)
  void asLargeAsTheyMayBeFromManyAtOnceTheyDoNotTakeItDown(
      String name, String member, String unit, Host host, Host container) throws Exception {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    Command call = large(pod, member, unit, LARGEST);
    try (DaemonProcess daemon = ocicat.startDaemon();
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      alone(ocicat);
      List<Future<Output>> outputs = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        outputs.add(clients.submit(call::attempt));
      }
      int served = 0;
      for (Future<Output> output : outputs) {
        String stdout = output.get().stdout();
        // Refused, done, or declined so that the caller makes it alone.
        served += stdout.contains("alone") ? 0 : 1;
        assertThat(output.get().exitCode()).as("%s", output.get()).isBetween(0, 1);
        assertThat(stdout).doesNotContain("try again");
      }
      assertThat(served).as(name).isPositive();
      assertThat(daemon.isAlive()).as(daemon.log()).isTrue();
      int before = ocicat.oneShots().size();
      pod.add().run();
      pod.del().run();
      assertThat(ocicat.oneShots()).hasSize(before);
    }
  }

  /** Review R5: sixty requests at once may not be as large as one alone. */
  @Test
  void manyOfMiddlingSizeAtOnceDoNotTakeItDown(Host host, Host container) throws Exception {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    Command call = large(pod, "\"x\":[%s{}]", "{\"abc\":\"def\"},", 31_700);
    try (DaemonProcess daemon = ocicat.startDaemon();
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      for (Output output : all(clients, call, CLIENTS)) {
        assertThat(output.exitCode()).as("%s", output).isZero();
      }
      assertThat(daemon.isAlive()).as(daemon.log()).isTrue();
      assertThat(ocicat.oneShots()).isEmpty();
    }
  }

  /**
   * Review R5: what CHECKs look up in the kernel takes memory as well. Each of them is served by
   * one and the same daemon: one that waited for too long asks again, for what is declined takes no
   * memory. There are fewer than in the review, which takes a minute of CPU time; {@code
   * -Docicat.longer=1} has all 250.
   */
  @Test
  void manyChecksOfManyPortsAtOnceAreAllServed(Host host, Host container) throws Exception {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    JavaClient client = new JavaClient(ocicat, Duration.ofMinutes(10));
    int checks = Integer.getInteger("ocicat.longer") == null ? 30 : 250;
    try (DaemonProcess daemon = ocicat.startDaemon();
        ExecutorService clients = Executors.newFixedThreadPool(checks)) {
      String conf = manyPorts(pod, pod.add().run().stdout());
      pod.call("portmap", "ADD", conf).run();
      Command check = pod.call("portmap", "CHECK", conf);
      List<Future<PluginReply>> replies = new ArrayList<>();
      for (int i = 0; i < checks; i++) {
        replies.add(clients.submit(() -> askUntilServed(daemon, client, check, host, container)));
      }
      for (Future<PluginReply> reply : replies) {
        assertThat(reply.get().exitCode()).as("%s", reply.get()).isZero();
      }
      assertThat(daemon.isAlive()).as(daemon.log()).isTrue();
      pod.delAll();
    }
    assertThat(ocicat.oneShots()).isEmpty();
  }

  /** Review R5: what is remembered of calls, for whoever asks, was bounded by their number only. */
  @Test
  void manyOneAfterTheOtherDoNotFillTheMemory(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    JavaClient client = new JavaClient(ocicat);
    Command del = large(pod, "\"x\":\"%s\"", "x", LARGEST);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      for (int i = 0; i < 160; i++) {
        PluginReply reply = client.call(del, host, container, System.nanoTime());
        assertThat(reply.exitCode()).as("%s", reply).isZero();
      }
      assertThat(daemon.isAlive()).as(daemon.log()).isTrue();
    }
  }

  private static PluginReply askUntilServed(
      DaemonProcess daemon, JavaClient client, Command call, Host host, Host container) {
    while (daemon.isAlive()) {
      try {
        WireReply answer = client.ask(call, "portmap", host, container, System.nanoTime());
        if (answer instanceof WireReply.Done(PluginReply reply)) {
          return reply;
        }
      } catch (NetlinkException e) {
        // Who is declined before all of the request was read finds the connection reset.
        assertThat(e.is(Errno.ECONNRESET) || e.is(Errno.EPIPE)).as("%s", e).isTrue();
      }
    }
    throw new AssertionError("the daemon has ended: " + daemon.log());
  }

  /** As many as a request of 32 KiB has room for. */
  private static String manyPorts(Pod pod, String prevResult) {
    String one = "{\"hostPort\":%d,\"containerPort\":80,\"protocol\":\"tcp\"}";
    String all =
        IntStream.range(0, 480)
            .mapToObj(i -> one.formatted(10_000 + i))
            .collect(Collectors.joining(","));
    String given = one.formatted(pod.port());
    String conf = pod.portmapConf(prevResult);
    assertThat(conf).contains(given);
    return conf.replace(given, all);
  }

  private static List<Output> all(ExecutorService clients, Command call, int times)
      throws Exception {
    Command patient = call.limit(Duration.ofMinutes(2));
    List<Future<Output>> futures = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      futures.add(clients.submit(patient::attempt));
    }
    List<Output> outputs = new ArrayList<>();
    for (Future<Output> future : futures) {
      outputs.add(future.get());
    }
    return outputs;
  }

  @Test
  void whatIsLargerStillIsDoneWithoutTheDaemon(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      alone(ocicat);
      assertThat(large(pod, "\"x\":\"%s\"", "x", CniJson.MAX_BYTES).run().stdout())
          .isEqualTo("alone\n");
      daemon.awaitLogged("no memory for a request");
    }
  }

  /** Does nothing where a JVM would be started: sixty JVMs are not the subject of this test. */
  private static void alone(Installation ocicat) throws IOException {
    ocicat.launcher("cat >/dev/null; echo alone");
  }

  /** A DEL, which is never refused, with this much on stdin. */
  private static Command large(Pod pod, String member, String unit, int stdin) {
    String conf = pod.bridgeConf().strip();
    String frame = conf.substring(0, conf.length() - 1) + "," + member + "}";
    // The variables of the protocol and the frame's head take less than the rest.
    int room = stdin - frame.length();
    return pod.call("bridge", "DEL", frame.replace("%s", unit.repeat(room / unit.length())))
        .limit(Duration.ofMinutes(2));
  }
}
