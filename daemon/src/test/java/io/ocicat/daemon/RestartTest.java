package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon may be restarted and replaced at any time: neither calls nor packets are lost. */
@Hosts
class RestartTest {
  private static final int REPLACEMENTS = 2;
  private static final int KILLS = 10;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  @TempDir Path folder;

  private final AtomicBoolean over = new AtomicBoolean();

  @Test
  void noCallFailsWhileDaemonsReplaceEachOther(Host host, Host a, Host b) throws Exception {
    Installation ocicat = Installation.in(folder, host);
    ExecutorService clients = Executors.newFixedThreadPool(2);
    DaemonProcess daemon = ocicat.startDaemon();
    try {
      List<Future<Integer>> cycles = new ArrayList<>();
      cycles.add(clients.submit(() -> cycle(new Pod(ocicat, a, "a", 8080))));
      cycles.add(clients.submit(() -> cycle(new Pod(ocicat, b, "b", 8081))));
      for (int i = 0; i < REPLACEMENTS * Integer.getInteger("ocicat.longer", 1); i++) {
        DaemonProcess next = ocicat.startDaemon("--take-over");
        Thread.sleep(500);
        daemon.close();
        daemon = next;
        daemon.stop();
        daemon.close();
        daemon = ocicat.startDaemon();
      }
      over.set(true);
      for (Future<Integer> count : cycles) {
        assertThat(count.get(3, TimeUnit.MINUTES)).isPositive();
      }
      assertThat(ocicat.records("journal")).isEmpty();
      assertThat(ocicat.records("attachments")).isEmpty();
    } finally {
      over.set(true);
      clients.shutdownNow();
      daemon.close();
    }
  }

  private int cycle(Pod pod) {
    int cycles = 0;
    while (!over.get()) {
      for (Command call : List.of(pod.add(), pod.del())) {
        Output output = call.limit(TIMEOUT).attempt();
        assertThat(output.exitCode()).as("%s", output).isZero();
      }
      cycles++;
    }
    return cycles;
  }

  @Test
  void podsDoNotNoticeThatTheDaemonIsKilled(Host host, Host a, Host b) throws Exception {
    Installation ocicat = Installation.in(folder, host);
    Random random = new Random();
    DaemonProcess daemon = ocicat.startDaemon();
    try {
      new Pod(ocicat, a, "a", 8080).add().run();
      String there = Pod.address(new Pod(ocicat, b, "b", 8081).add().run());
      a.exec("ping", "-c1", "-W5", there);
      try (Background ping = a.start("ping", "-q", "-i", "0.05", there)) {
        for (int i = 0; i < KILLS * Integer.getInteger("ocicat.longer", 1); i++) {
          Thread.sleep(random.nextInt(400));
          daemon.close();
          daemon = i % 4 == 0 ? ocicat.startDaemon() : ocicat.launchDaemon();
        }
        Command.of("kill", "-INT", Long.toString(ping.pid())).run();
        Output output = ping.await(Duration.ofSeconds(10));
        assertThat(output.stdout()).contains(" 0% packet loss");
      }
      daemon.awaitServing();
      new Pod(ocicat, a, "a", 8080).del().run();
      new Pod(ocicat, b, "b", 8081).del().run();
      assertThat(ocicat.records("attachments")).isEmpty();
    } finally {
      daemon.close();
    }
  }
}
