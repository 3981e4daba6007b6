package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.json.Json;
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

/** The daemon has the memory that it has in the distribution, and ends when that is not enough. */
@Hosts
class LargeRequestsTest {
  private static final int CLIENTS = 64;

  /** What the daemon takes, but for the frame's head and the variables. */
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
        // Refused as what it is, done, or told to do it alone.
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

  /** Review R5: what one alone may be is not what sixty at once may be. */
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

  /** Review R5: what a CHECK reads from the kernel takes memory as well. */
  @Test
  void manyChecksOfManyPortsAtOnceDoNotTakeItDown(Host host, Host container) throws Exception {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    int checks = 250;
    try (DaemonProcess daemon = ocicat.startDaemon();
        ExecutorService clients = Executors.newFixedThreadPool(checks)) {
      String conf = manyPorts(pod, pod.add().run().stdout());
      pod.call("portmap", "ADD", conf).run();
      // Those whose time is over before it is their turn do it themselves.
      alone(ocicat);
      int served = 0;
      for (Output output : all(clients, pod.call("portmap", "CHECK", conf), checks)) {
        assertThat(output.exitCode()).as("%s", output).isZero();
        served += output.stdout().isEmpty() ? 1 : 0;
      }
      assertThat(served).isPositive();
      assertThat(daemon.isAlive()).as(daemon.log()).isTrue();
      assertThat(daemon.log()).doesNotContain("OutOfMemory");
      int before = ocicat.oneShots().size();
      pod.delAll();
      assertThat(ocicat.oneShots()).hasSize(before);
    }
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
      assertThat(large(pod, "\"x\":\"%s\"", "x", Json.MAX_BYTES).run().stdout())
          .isEqualTo("alone\n");
      assertThat(daemon.log()).contains("is too much now");
    }
  }

  /** Does nothing where a JVM would be started: sixty of them are not what this is about. */
  private static void alone(Installation ocicat) throws IOException {
    ocicat.launcher("cat >/dev/null; echo alone");
  }

  /** A DEL, which is never refused, with so much on stdin. */
  private static Command large(Pod pod, String member, String unit, int stdin) {
    String conf = pod.bridgeConf().strip();
    String frame = conf.substring(0, conf.length() - 1) + "," + member + "}";
    // The variables of the protocol and the frame's head take less than the rest.
    int room = stdin - frame.length();
    return pod.call("bridge", "DEL", frame.replace("%s", unit.repeat(room / unit.length())))
        .limit(Duration.ofMinutes(2));
  }
}
