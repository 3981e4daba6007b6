package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults of machines, in spite of which DEL succeeds. */
@Hosts
class HostileConditionsTest {
  @TempDir Path folder;

  @Test
  void aSecondDaemonIsRefusedUnlessItTakesOver(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess first = ocicat.startDaemon()) {
      Output refused = ocicat.daemon().limit(Duration.ofSeconds(60)).attempt();
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.stderr()).contains("an ocicatd is running already", "--take-over");
      pod.add().run();

      try (DaemonProcess second = ocicat.startDaemon("--take-over")) {
        pod.del().run();
        Eventually.await("the first to go", Duration.ofSeconds(30), () -> !first.isAlive());
        first.awaitLogged("another daemon has taken over");
        pod.add().run();
        pod.del().run();
        Eventually.await(
            "the second to be alone",
            () -> second.log().contains("the previous daemon has exited"));
      }
    }
    assertThat(ocicat.oneShots()).isEmpty();
  }

  @Test
  void aFullDiskStopsAddAndNotDel(Host host, Host container) {
    Installation plain = Installation.in(folder, host);
    try (Mounts mounts = Mounts.small(plain.run(), plain.state())) {
      Installation ocicat = plain.startedBy(mounts.prefix());
      Pod pod = new Pod(ocicat, container, "c1", 8080);
      try (DaemonProcess _ = ocicat.startDaemon()) {
        pod.add().run();
        pod.del().run();
        List<String> nothing = Sweep.of(ocicat, container);
        for (Path full : List.of(ocicat.run(), ocicat.state())) {
          pod.add().run();
          mounts.fill(full);
          pod.del().run();
          // What DEL removed has made room for a record.
          mounts.fillAgain(full);
          Output refused = pod.add().attempt();
          assertThat(refused.exitCode()).as("%s", refused).isEqualTo(1);
          assertThat(refused.json().get("code").asInt()).as("%s", refused).isEqualTo(5);
          assertThat(refused.json().get("details").asString()).contains("make room");
          assertThat(host.exec("ip", "link").stdout()).doesNotContain("veth");
          pod.del().run();
          mounts.makeRoom(full);
          assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container))).isEmpty();
        }
        pod.add().run();
        pod.del().run();
      }
      assertThat(ocicat.oneShots()).isEmpty();
    }
  }

  @Test
  void aReadOnlyStateDirectoryStopsAddAndNotDel(Host host, Host container) {
    Installation plain = Installation.in(folder, host);
    try (Mounts mounts = Mounts.small(plain.state())) {
      Installation ocicat = plain.startedBy(mounts.prefix());
      Pod pod = new Pod(ocicat, container, "c1", 8080);
      Path records = mounts.outside(ocicat.state().resolve("attachments"));
      try (DaemonProcess _ = ocicat.startDaemon()) {
        pod.add().run();
        mounts.readOnly(ocicat.state());
        pod.del().run();
        assertThat(host.exec("ip", "link").stdout()).doesNotContain("veth");
        assertThat(records).isNotEmptyDirectory();
        Output refused = pod.add().attempt();
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.json().get("code").asInt()).isIn(5, 11);

        mounts.writable(ocicat.state());
        Eventually.passes(Duration.ofSeconds(20), () -> assertThat(records).isEmptyDirectory());
        pod.add().run();
      }
      mounts.readOnly(ocicat.state());
      try (DaemonProcess _ = ocicat.startDaemon()) {
        pod.del().run();
        assertThat(host.exec("ip", "link").stdout()).doesNotContain("veth");
      }
      assertThat(ocicat.oneShots()).isEmpty();
    }
  }

  @Test
  void aDelThatCannotFinishIsPromisedAndKept(Host host, Host container) {
    Installation plain = Installation.in(folder, host);
    try (Mounts mounts = Mounts.small(plain.leases())) {
      Installation ocicat = plain.startedBy(mounts.prefix());
      Pod pod = new Pod(ocicat, container, "c1", 8080);
      Path leases = mounts.outside(ocicat.leases().resolve(Pod.NETWORK));
      try (DaemonProcess _ = ocicat.startDaemon()) {
        String address = Pod.address(pod.add().run());
        mounts.readOnly(ocicat.leases());

        Output promised = pod.del().run();
        assertThat(promised.stderr()).contains("DEL will be finished later");
        assertThat(ocicat.records("spool")).hasSize(1);
        assertThat(leases.resolve(address)).exists();
        assertThat(host.exec("ip", "link").stdout()).as("the local part").doesNotContain("veth");
        Output again = pod.add().attempt();
        assertThat(again.json().get("code").asInt()).as("%s", again).isEqualTo(11);

        mounts.writable(ocicat.leases());
        Eventually.passes(
            Duration.ofSeconds(20), () -> assertThat(ocicat.records("spool")).isEmpty());
        assertThat(leases.resolve(address)).doesNotExist();

        // A promise must not be kept at the expense of a newer attachment.
        pod.add().run();
        mounts.readOnly(ocicat.leases());
        pod.del().run();
      }
      mounts.writable(ocicat.leases());
      try (DaemonProcess _ = ocicat.startDaemon()) {
        assertThat(ocicat.records("spool")).isEmpty();
        Output added = pod.add().run();
        Eventually.await("another look of the daemon's", new Pause(Duration.ofMillis(2500)));
        assertThat(leases.resolve(Pod.address(added))).exists();
        assertThat(host.exec("ip", "link").stdout()).contains("veth");
        pod.del().run();
      }
      assertThat(ocicat.oneShots()).isEmpty();
    }
  }

  @Test
  void invalidRecordsBlockNothing(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      pod.add().run();
      pod.del().run();
      List<String> nothing = Sweep.of(ocicat, container);
      pod.add().run();
      daemon.kill();
      Path record = only(ocicat.state().resolve("attachments"));
      byte[] bytes = Files.readAllBytes(record);
      bytes[bytes.length / 2] ^= 1;
      Files.write(record, bytes);
      for (Path of :
          List.of(
              ocicat.run().resolve("journal"),
              ocicat.run().resolve("spool"),
              ocicat.state().resolve("attachments"))) {
        old(Files.write(of.resolve("empty"), new byte[0]));
        old(Files.write(of.resolve("garbage"), new byte[] {1, 2, 3}));
        old(Files.write(of.resolve("torn"), java.util.Arrays.copyOf(bytes, bytes.length / 3)));
        Files.createDirectories(of.resolve("directory/deep"));
      }
      try (DaemonProcess next = ocicat.startDaemon()) {
        pod.del().run();
        for (String kind : List.of("journal", "spool", "attachments")) {
          assertThat(ocicat.records(kind)).doesNotContain("empty", "garbage", "torn");
        }
        pod.add().run();
        pod.del().run();
        Command.of("find", folder.toString(), "-name", "directory", "-exec", "rm", "-r", "{}", "+")
            .run();
        assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container))).isEmpty();
        assertThat(next.isAlive()).isTrue();
      }
    }
    assertThat(ocicat.oneShots()).isEmpty();
  }

  private static Path only(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      return files.findFirst().orElseThrow();
    }
  }

  private static void old(Path file) throws IOException {
    Files.setLastModifiedTime(file, FileTime.fromMillis(0));
  }

  @Test
  void delNeedsNeitherNamespaceNorResultNorAnAddBefore(Host host, Host container)
      throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess _ = ocicat.startDaemon()) {
      pod.delAll();
      pod.mapPort(pod.add().run()).run();
      pod.delAll();
      List<String> nothing = Sweep.of(ocicat, container);

      for (String garbage :
          List.of(
              "\"\"",
              "7",
              "[]",
              "{}",
              "{\"cniVersion\":\"9.9\"}",
              "{\"cniVersion\":\"1.0.0\",\"ips\":7}")) {
        pod.mapPort(pod.add().run()).run();
        String conf = pod.bridgeConf().replaceFirst("\\}\\s*$", ",\"prevResult\":" + garbage + "}");
        assertThat(pod.call("portmap", "DEL", pod.portmapConf(garbage)).attempt().exitCode())
            .as("portmap with %s", garbage)
            .isZero();
        Output del = pod.call("bridge", "DEL", conf).attempt();
        assertThat(del.exitCode()).as("bridge with %s: %s", garbage, del).isZero();
        assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container))).as(garbage).isEmpty();
      }

      pod.mapPort(pod.add().run()).run();
      container.exec("ip", "link", "del", "eth0");
      Command.of("ip", "netns", "del", container.name()).run();
      pod.delAll();
      pod.unmapPort().env("CNI_NETNS", "").run();
      pod.del().env("CNI_NETNS", "").run();
    }
    assertThat(ocicat.records("attachments")).isEmpty();
    assertThat(host.exec("ip", "link").stdout()).doesNotContain("veth");
    assertThat(ocicat.oneShots()).isEmpty();
  }

  @Test
  void aSecondAddIsRefusedAndChangesNothingAlsoWhenItIsKilled(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    StopSign sign = new StopSign(ocicat.control());
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      pod.add().run();
      List<String> added = Sweep.of(ocicat, container);
      assertThat(pod.add().attempt().exitCode()).isEqualTo(1);
      assertThat(Sweep.difference(added, Sweep.of(ocicat, container))).isEmpty();

      sign.stopAt(2);
      try (Background _ = pod.add().start()) {
        sign.awaitReached();
        daemon.kill();
      }
      sign.remove();
      assertThat(ocicat.records("journal")).hasSize(1);
      try (DaemonProcess _ = ocicat.startDaemon()) {
        assertThat(Sweep.difference(added, Sweep.of(ocicat, container))).isEmpty();
        pod.del().run();
      }
    }
  }

  @Test
  void anAddThatDelOvertookComesToNothing(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess _ = ocicat.startDaemon()) {
      long before = System.nanoTime();
      pod.del().run();
      JavaClient late = new JavaClient(ocicat);
      assertThat(late.call(pod.add(), host, container, before).stdout())
          .asString()
          .contains("was deleted while this ADD waited", "\"code\": 11");
      assertThat(host.exec("ip", "link").stdout()).doesNotContain("veth");
      assertThat(late.call(pod.add(), host, container, System.nanoTime()).exitCode()).isZero();
      pod.del().run();
    }
  }

  @Test
  void aClockThatJumpsDoesNoHarm(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    StopSign sign = new StopSign(ocicat.control());
    List<String> nothing;
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      pod.add().run();
      pod.del().run();
      nothing = Sweep.of(ocicat, container);
      pod.add().run();
      daemon.kill();
    }
    Files.writeString(folder.resolve("years"), "10");
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      assertThat(ocicat.records("attachments")).hasSize(1);
      pod.del().run();
      sign.stopAt(4);
      try (Background _ = pod.add().start()) {
        sign.awaitReached();
        daemon.kill();
      }
      sign.remove();
    }
    Files.writeString(folder.resolve("years"), "-10");
    try (DaemonProcess _ = ocicat.startDaemon()) {
      assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container))).isEmpty();
      pod.add().run();
      pod.del().run();
    }
  }

  @Test
  void afterTheMachineWasStartedAgainNothingIsTaken(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    Files.writeString(ocicat.bootId(), UUID.randomUUID() + "\n");
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      pod.mapPort(pod.add().run()).run();
      daemon.kill();
    }
    container.exec("ip", "link", "del", "eth0");
    host.exec("sh", "-c", "ip link del br0; nft flush ruleset");
    Command.of("rm", "-r", ocicat.run().toString()).run();
    List<String> leases =
        Sweep.of(ocicat, container).stream().filter(l -> l.startsWith("lease")).toList();
    assertThat(leases).hasSize(1);

    Files.writeString(ocicat.bootId(), UUID.randomUUID() + "\n");
    try (DaemonProcess _ = startUntilRecovered(ocicat)) {
      assertThat(Sweep.of(ocicat, container)).noneMatch(line -> line.startsWith("lease"));
      assertThat(ocicat.records("attachments")).isEmpty();
      pod.delAll();
      pod.mapPort(pod.add().run()).run();
      pod.delAll();
    }
  }

  /** Of two records, a slow machine leaves the second to the next start: callers wait meanwhile. */
  private static DaemonProcess startUntilRecovered(Installation ocicat) {
    DaemonProcess daemon = ocicat.startDaemon();
    daemon.awaitLogged("attachments of the machine's last start removed");
    if (!ocicat.records("attachments").isEmpty()) {
      daemon.close();
      daemon = ocicat.startDaemon();
    }
    return daemon;
  }

  /** Becomes true after a while. */
  private static final class Pause implements java.util.function.BooleanSupplier {
    private final long end;

    Pause(Duration length) {
      end = System.nanoTime() + length.toNanos();
    }

    @Override
    public boolean getAsBoolean() {
      return System.nanoTime() > end;
    }
  }
}
