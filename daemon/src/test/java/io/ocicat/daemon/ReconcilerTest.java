package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.BootId;
import io.ocicat.daemon.address.AddressGc;
import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the daemon reconciles by itself. */
@Hosts
class ReconcilerTest {
  @TempDir Path folder;

  private final List<String> notes = new CopyOnWriteArrayList<>();

  /** Twice, because a second scan is needed to tell a killed call from one in progress. */
  @Test
  void whatWasKilledIsFinishedWithinASecond() {
    assertThat(Daemon.RETRY.multipliedBy(2)).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void anAttachmentWithoutDelIsRemovedOnceItsNamespaceWasFoundGoneTwice(
      Host host, Host kept, Host lost) {
    Installation ocicat = Installation.in(folder, host);
    Pod staying = new Pod(ocicat, kept, "kept", 8080);
    Pod leaving = new Pod(ocicat, lost, "lost", 8081);
    Reconciler reconciler = reconciler(ocicat, BootId.current());
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      staying.add().run();
      List<String> before = Sweep.of(ocicat, kept);
      leaving.mapPort(leaving.add().run()).run();
      daemon.kill();

      removeNamespace(ocicat, lost, "lost");
      reconciler.collectGarbage();
      assertThat(ocicat.records("attachments")).as("seen once").hasSize(3);
      reconciler.collectGarbage();
      assertThat(ocicat.records("attachments")).as("seen twice").hasSize(1);
      reconciler.collectGarbage();
      assertThat(Sweep.difference(before, Sweep.of(ocicat, kept)))
          .as("but for portmap's empty table")
          .noneMatch(line -> line.contains("veth") || line.contains("lease"));
      assertThat(notes).hasSize(2).allMatch(note -> note.contains("no DEL came"));
    }
    try (DaemonProcess _ = ocicat.startDaemon()) {
      staying.del().run();
    }
  }

  @Test
  void aNamespaceThatComesBackWasNeverSeenGoneTwice(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    Reconciler reconciler = reconciler(ocicat, BootId.current());
    Path held = folder.resolve("held");
    bind(container.path(), held);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      pod.add().run();
      daemon.kill();
      for (int i = 0; i < 3; i++) {
        reconciler.collectGarbage();
        unbind(container.path());
        reconciler.collectGarbage();
        bind(held, container.path());
      }
      assertThat(ocicat.records("attachments")).hasSize(1);
      assertThat(notes).isEmpty();
    } finally {
      unbind(held);
    }
    try (DaemonProcess _ = ocicat.startDaemon()) {
      pod.del().run();
    }
  }

  /** The kernel removes its contents asynchronously. */
  static void removeNamespace(Installation ocicat, Host gone, String id) {
    Command.of("ip", "netns", "del", gone.name()).run();
    Eventually.await(
        "the link's end",
        () -> !ocicat.host().exec("ip", "link").stdout().contains("/" + id + "/eth0"));
  }

  private static void bind(Path namespace, Path to) {
    Command.of("touch", to.toString()).run();
    Command.of("mount", "--bind", namespace.toString(), to.toString()).run();
  }

  private static void unbind(Path namespace) {
    Command.of("umount", namespace.toString()).run();
    Command.of("rm", namespace.toString()).run();
  }

  @Test
  void whatIsFromBeforeTheMachinesLastStartGoesWhateverElseIsThere(Host host, Host container)
      throws Exception {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    Reconciler reconciler = reconciler(ocicat, new BootId(new UUID(1, 2)));
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      pod.add().run();
      pod.del().run();
      List<String> nothing = Sweep.of(ocicat, container);
      pod.add().run();
      daemon.kill();
      container.exec("ip", "link", "delete", "eth0");
      Path attachments = ocicat.state().resolve("attachments");
      Path torn = Files.write(attachments.resolve("0"), new byte[] {1, 2, 3});
      Path directory = attachments.resolve("00");
      Files.createDirectories(directory.resolve("deep"));
      for (Path old : List.of(torn, directory)) {
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(60)));
      }

      on(host, reconciler::collectGarbage);

      assertThat(ocicat.records("attachments")).containsExactly("00");
      assertThat(notes)
          .satisfiesExactlyInAnyOrder(
              note -> assertThat(note).contains("removed", "/0, which is not a complete record"),
              note -> assertThat(note).contains("cannot remove", "/00"));
      Command.of("rm", "-r", directory.toString()).run();
      assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container))).isEmpty();
    }
  }

  /** Two mappings with different options have a record each; only one of them is made again. */
  @Test
  void whatIsInUseSinceTheMachinesStartSurvivesASecondRecordFromBefore(Host host, Host container)
      throws Exception {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    List<String> nothing;
    try (DaemonProcess daemon = startBeforeReboot(ocicat)) {
      pod.mapPort(pod.add().run()).run();
      pod.delAll();
      nothing = Sweep.of(ocicat, container);
      Output added = pod.add().run();
      pod.mapPort(added).run();
      mapSecondPort(pod, added).run();
      daemon.kill();
    }
    assertThat(ocicat.records("attachments")).hasSize(3);
    reboot(ocicat, container);
    Command.of("rm", "-r", ocicat.leases().toString()).run();
    Reconciler reconciler = reconciler(ocicat, BootId.current());

    pod.mapPort(pod.add().run()).run();
    assertKeepsWhatIsInUse(reconciler, ocicat, container);

    pod.unmapPort().run();
    pod.del().run();
    assertThat(ocicat.records("attachments")).as("of before").hasSize(1);
    on(host, reconciler::collectGarbage);
    assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container))).isEmpty();
  }

  /**
   * host-local identifies a lease by network, container and interface, whichever plugin asked for
   * it.
   */
  @Test
  void anAddressThatAnotherPluginHasSinceTheMachinesStartStaysTaken(Host host, Host container)
      throws Exception {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess daemon = startBeforeReboot(ocicat)) {
      pod.add().run();
      daemon.kill();
    }
    reboot(ocicat, container);
    Command.of("rm", "-r", ocicat.leases().toString()).run();
    Reconciler reconciler = reconciler(ocicat, BootId.current());

    ptp(pod, "ADD", Pod.NETWORK).run();
    assertThat(Sweep.of(ocicat)).contains("lease 10.88.0.2");
    assertKeepsWhatIsInUse(reconciler, ocicat, container);

    ptp(pod, "DEL", Pod.NETWORK).run();
    on(host, reconciler::collectGarbage);
    assertThat(Sweep.of(ocicat)).noneMatch(line -> line.matches("(lease|attachments) .*"));
  }

  @Test
  void anAddressThatOnlyTheFormerAttachmentHadIsFreedOnceTheNewOneIsGone(Host host, Host container)
      throws Exception {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess daemon = startBeforeReboot(ocicat)) {
      pod.add().run();
      daemon.kill();
    }
    reboot(ocicat, container);
    Reconciler reconciler = reconciler(ocicat, BootId.current());

    ptp(pod, "ADD", "other").run();
    assertKeepsWhatIsInUse(reconciler, ocicat, container);
    assertThat(Sweep.of(ocicat)).contains("lease 10.88.0.2");

    ptp(pod, "DEL", "other").run();
    on(host, reconciler::collectGarbage);
    assertThat(Sweep.of(ocicat)).noneMatch(line -> line.matches("(lease|attachments) .*"));
  }

  /** The new record must not replace the only one that knows of the lease. */
  @Test
  void anAddressOfAConfigurationThatWasReplacedMeanwhileIsFreed(
      Host host, Host lost, Host container) throws Exception {
    Installation ocicat = Installation.in(folder, host);
    Pod before = new Pod(ocicat, lost, "c1", 8080);
    Pod now = new Pod(ocicat, container, "c1", 8080);
    Reconciler reconciler = reconciler(ocicat, BootId.current());
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      ptp(before, "ADD", Pod.NETWORK).run();
      Command.of("ip", "netns", "del", lost.name()).run();
      ptp(now, "ADD", "other").run();
      daemon.kill();
    }
    assertKeepsWhatIsInUse(reconciler, ocicat, container);
    assertThat(Sweep.of(ocicat)).contains("lease 10.88.0.2");

    ptp(now, "DEL", "other").run();
    on(host, reconciler::collectGarbage);
    assertThat(Sweep.of(ocicat)).noneMatch(line -> line.matches("(lease|attachments) .*"));
  }

  @Test
  void whatIsInUseSurvivesASecondRecordWhoseNamespaceIsGone(Host host, Host lost, Host container)
      throws Exception {
    Installation ocicat = Installation.in(folder, host);
    Pod before = new Pod(ocicat, lost, "c1", 8080);
    Pod now = new Pod(ocicat, container, "c1", 8080);
    Reconciler reconciler = reconciler(ocicat, BootId.current());
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      Output added = before.add().run();
      before.mapPort(added).run();
      mapSecondPort(before, added).run();
      before.del().run();
      Command.of("ip", "netns", "del", lost.name()).run();
      now.mapPort(now.add().run()).run();
      daemon.kill();
    }
    assertThat(ocicat.records("attachments")).hasSize(3);
    assertKeepsWhatIsInUse(reconciler, ocicat, container);

    try (DaemonProcess daemon = ocicat.startDaemon()) {
      now.delAll();
      daemon.kill();
    }
    on(host, reconciler::collectGarbage);
    assertThat(ocicat.records("attachments")).isEmpty();
  }

  private static void assertKeepsWhatIsInUse(
      Reconciler reconciler, Installation ocicat, Host container) throws Exception {
    List<String> inUse = Sweep.of(ocicat, container);
    on(
        ocicat.host(),
        () -> {
          reconciler.recover(Duration.ofMinutes(1));
          reconciler.collectGarbage();
          reconciler.collectGarbage();
        });
    assertThat(Sweep.difference(inUse, Sweep.of(ocicat, container))).isEmpty();
  }

  private static DaemonProcess startBeforeReboot(Installation ocicat) throws IOException {
    Files.writeString(ocicat.bootId(), new UUID(1, 2).toString());
    return ocicat.startDaemon();
  }

  /** The kernel's objects do not survive it. */
  private static void reboot(Installation ocicat, Host container) throws IOException {
    Files.delete(ocicat.bootId());
    container.exec("ip", "link", "delete", "eth0");
    ocicat.host().exec("ip", "link", "delete", "br0");
    ocicat.host().exec("nft", "flush", "ruleset");
  }

  private static Command mapSecondPort(Pod pod, Output added) {
    Pod other = new Pod(pod.ocicat(), pod.host(), pod.id(), pod.port() + 1);
    return pod.call(
        "portmap",
        "ADD",
        other.portmapConf(added.stdout()).replaceFirst("\\{", "{\"masqAll\":true,"));
  }

  private static Command ptp(Pod pod, String verb, String network) {
    return pod.call(
        "ptp",
        verb,
        """
        {"cniVersion":"1.1.0","name":"%s","type":"ptp",
         "ipam":{"type":"host-local","subnet":"10.88.0.0/24","dataDir":"%s"}}
        """
            .formatted(network, pod.ocicat().leases()));
  }

  /** After another boot only the machine's own namespace can be left, which here is the host's. */
  private static void on(Host host, Runnable work) throws Exception {
    try (NetNs own = NetNs.open(host.path())) {
      own.call(
          () -> {
            work.run();
            return true;
          });
    }
  }

  private Reconciler reconciler(Installation ocicat, BootId boot) {
    return reconciler(ocicat, boot, notes::add);
  }

  /** The reconciler of a daemon on an installation's files. */
  static Reconciler reconciler(Installation ocicat, Consumer<String> notes) {
    return reconciler(ocicat, BootId.current(), notes);
  }

  private static Reconciler reconciler(Installation ocicat, BootId boot, Consumer<String> notes) {
    DaemonState state = new DaemonState(new StateFolders(ocicat.run(), ocicat.state()), boot);
    Clock clock = Clock.systemUTC();
    CallRunner runner =
        new CallRunner(
            state, PluginExecutables.of(ocicat.home()), () -> true, ocicat.cniFolders(), clock);
    AddressGc addresses = new AddressGc(state, List::of, Set::of, ClockAndRandom.ofSystem());
    return new Reconciler(
        state,
        runner,
        new CallLog(notes, new CallHistory()),
        addresses,
        new HostReconciliation((_, _) -> {}),
        clock);
  }
}
