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
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the daemon does of its own accord. */
@Hosts
class UpkeepTest {
  @TempDir Path folder;

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
    List<String> notes = new CopyOnWriteArrayList<>();
    State state = new State(new Folders(ocicat.run(), ocicat.state()), BootId.current());
    CallRunner runner =
        new CallRunner(state, OurExecutables.of(ocicat.home()), true, Clock.systemUTC());
    AddressSweep addresses = new AddressSweep(state, List::of, Set::of, Sources.ofSystem());
    Upkeep upkeep =
        new Upkeep(state, runner, new CallLog(notes::add, new CallHistory()), addresses);
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
}
