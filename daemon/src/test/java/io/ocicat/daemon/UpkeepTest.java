package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.daemon.address.AddressSweep;
import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.call.OurExecutables;
import io.ocicat.daemon.state.BootId;
import io.ocicat.daemon.state.Folders;
import io.ocicat.daemon.state.State;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.ipam.Sources;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the daemon does of its own accord. */
@Hosts
class UpkeepTest {
  @TempDir Path folder;

  private final List<String> notes = new CopyOnWriteArrayList<>();

  /** Twice, because a call that is under way is only known to be killed at the second look. */
  @Test
  void whatWasPutOffOrKilledIsFinishedWithinASecond() {
    assertThat(Daemon.RETRY.multipliedBy(2)).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void whatNobodyDeletedGoesOnceItsNamespaceWasSeenGoneTwice(Host host, Host kept, Host lost) {
    Installation ocicat = Installation.in(folder, host);
    Pod staying = new Pod(ocicat, kept, "kept", 8080);
    Pod leaving = new Pod(ocicat, lost, "lost", 8081);
    Upkeep upkeep = upkeep(ocicat, BootId.current());
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      staying.add().run();
      List<String> before = Sweep.of(ocicat, kept);
      leaving.mapPort(leaving.add().run()).run();
      daemon.kill();

      Command.of("ip", "netns", "del", lost.name()).run();
      upkeep.sweep();
      assertThat(ocicat.records("attachments")).as("seen once").hasSize(3);
      upkeep.sweep();
      assertThat(ocicat.records("attachments")).as("seen twice").hasSize(1);
      upkeep.sweep();
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
    Upkeep upkeep = upkeep(ocicat, BootId.current());
    Path held = folder.resolve("held");
    bind(container.path(), held);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      pod.add().run();
      daemon.kill();
      for (int i = 0; i < 3; i++) {
        upkeep.sweep();
        unbind(container.path());
        upkeep.sweep();
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
    Upkeep upkeep = upkeep(ocicat, new BootId(new UUID(1, 2)));
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      pod.add().run();
      pod.del().run();
      List<String> nothing = Sweep.of(ocicat, container);
      pod.add().run();
      daemon.kill();
      Path attachments = ocicat.state().resolve("attachments");
      Path torn = Files.write(attachments.resolve("0"), new byte[] {1, 2, 3});
      Path directory = attachments.resolve("00");
      Files.createDirectories(directory.resolve("deep"));
      for (Path old : List.of(torn, directory)) {
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(60)));
      }

      // Of another start only the machine's own namespace can be left, which here is the host's.
      try (NetNs own = NetNs.open(host.path())) {
        own.call(
            () -> {
              upkeep.sweep();
              return true;
            });
      }

      assertThat(ocicat.records("attachments")).containsExactly("00");
      assertThat(notes)
          .satisfiesExactlyInAnyOrder(
              note -> assertThat(note).contains("removed", "/0, which is not a whole record"),
              note -> assertThat(note).contains("cannot remove", "/00"));
      Command.of("rm", "-r", directory.toString()).run();
      assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container))).isEmpty();
    }
  }

  private Upkeep upkeep(Installation ocicat, BootId boot) {
    State state = new State(new Folders(ocicat.run(), ocicat.state()), boot);
    Clock clock = Clock.systemUTC();
    CallRunner runner = new CallRunner(state, OurExecutables.of(ocicat.home()), true, clock);
    AddressSweep addresses = new AddressSweep(state, List::of, Set::of, Sources.ofSystem());
    return new Upkeep(state, runner, new CallLog(notes::add, new CallHistory()), addresses, clock);
  }
}
