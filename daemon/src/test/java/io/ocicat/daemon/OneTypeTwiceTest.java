package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A chain with two plugins of one type: each has its own record. */
@Hosts
class OneTypeTwiceTest {
  private static final String MTU = "\"mtu\":1400";
  private static final String FILTER = "\"sysctl\":{\"net.ipv4.conf.eth0.arp_filter\":\"1\"}";

  @TempDir Path folder;

  private static Command tuning(Pod pod, String verb, String what, String prevResult) {
    return pod.call(
        "tuning",
        verb,
        """
        {"cniVersion":"1.1.0","name":"%s","type":"tuning","dataDir":"%s",%s%s}
        """
            .formatted(
                Pod.NETWORK,
                pod.ocicat().folder().resolve("tuning-" + what.hashCode()),
                what,
                prevResult.isEmpty() ? "" : ",\"prevResult\":" + prevResult));
  }

  @Test
  void eachIsDeletedForItself(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess _ = ocicat.startDaemon()) {
      String result = pod.add().run().stdout();
      tuning(pod, "ADD", MTU, result).run();
      List<String> beforeSecond = ocicat.records("attachments");
      tuning(pod, "ADD", FILTER, result).run();
      assertThat(ocicat.records("attachments")).hasSize(3);

      tuning(pod, "DEL", FILTER, result).run();
      assertThat(ocicat.records("attachments")).isEqualTo(beforeSecond);
      tuning(pod, "ADD", FILTER, result).run();
      tuning(pod, "DEL", MTU, "").run();
      assertThat(ocicat.records("attachments")).hasSize(2).isNotEqualTo(beforeSecond);
      tuning(pod, "DEL", FILTER, "").run();
      assertThat(ocicat.records("attachments")).hasSize(1);
      pod.del().run();
      assertThat(ocicat.records("attachments")).isEmpty();
      assertThat(ocicat.records("journal")).isEmpty();
    }
    assertThat(ocicat.oneShots()).isEmpty();
  }

  /** Before, it counted as complete, because the first one's record was there. */
  @Test
  void theSecondThatWasKilledIsUndoneAndTheFirstStays(Host host, Host container)
      throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    List<String> first;
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      String result = pod.add().run().stdout();
      tuning(pod, "ADD", FILTER, result).run();
      first = ocicat.records("attachments");
      tuning(pod, "ADD", MTU, result).run();
      assertThat(mtu(container)).isEqualTo("1400");
      daemon.kill();
    }
    // As if it had been killed when all was done but the commit.
    String second =
        ocicat.records("attachments").stream()
            .filter(name -> !first.contains(name))
            .findFirst()
            .orElseThrow();
    Files.move(
        ocicat.state().resolve("attachments").resolve(second),
        ocicat.run().resolve("journal").resolve(second));
    try (DaemonProcess _ = ocicat.startDaemon()) {
      Eventually.passes(
          Duration.ofSeconds(20), () -> assertThat(ocicat.records("journal")).isEmpty());
      assertThat(mtu(container)).isEqualTo("1500");
      assertThat(ocicat.records("attachments")).isEqualTo(first);
      assertThat(container.exec("sysctl", "-n", "net.ipv4.conf.eth0.arp_filter").stdout().strip())
          .isEqualTo("1");
    }
  }

  /** Runtimes may read the network's file again for a DEL. */
  @Test
  void aConfigurationThatChangedFindsTheOnlyRecord(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess _ = ocicat.startDaemon()) {
      String result = pod.add().run().stdout();
      tuning(pod, "ADD", MTU, result).run();
      assertThat(ocicat.records("attachments")).hasSize(2);
      tuning(pod, "DEL", FILTER, result).run();
      assertThat(ocicat.records("attachments")).hasSize(1);
    }
  }

  private static String mtu(Host container) {
    return container.exec("ip", "-j", "link", "show", "eth0").json().get(0).get("mtu").asString();
  }
}
