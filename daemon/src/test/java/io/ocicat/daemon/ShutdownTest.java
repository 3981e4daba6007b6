package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The machine goes down, and runtimes delete their containers after the daemon has gone. */
@Hosts
class ShutdownTest {
  @TempDir Path folder;

  @Test
  void delIsDoneWithoutTheDaemonAndAddIsRefused(Host host, Host container, Host other)
      throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    Pod late = new Pod(ocicat, other, "c2", 8081);
    // What ExecStop of the unit does when systemd is stopping.
    Path mark = ocicat.run().resolve("shutting-down");
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      pod.add().run();
      pod.del().run();
      List<String> nothing = Sweep.of(ocicat, container, other);
      pod.add().run();
      Files.createFile(mark);
      assertThat(daemon.stop().stderr()).contains("the machine is shutting down");

      Output refused = late.add().attempt();
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.json().get("code").asInt()).isEqualTo(11);
      assertThat(refused.json().get("msg").asString()).isEqualTo("the machine is shutting down");
      pod.del().run();
      assertThat(ocicat.oneShots()).containsExactly("plugin bridge:ADD:c2", "plugin bridge:DEL:c1");
      assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container, other))).isEmpty();
    }
    try (DaemonProcess _ = ocicat.startDaemon()) {
      assertThat(mark).doesNotExist();
      late.add().run();
      late.del().run();
    }
  }
}
