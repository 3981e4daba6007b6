package io.ocicat.daemon.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.BootId;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.daemon.address.RecordedContainers.Recorded;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.StateFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordedContainersTest {
  /** A clock by which all files were written a while ago. */
  private static final Clock LATER = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(1));

  @TempDir Path directory;

  private final List<String> read = new ArrayList<>();
  private DaemonState state;

  @BeforeEach
  void aState() {
    StateFolders folders = new StateFolders(directory.resolve("run"), directory.resolve("state"));
    folders.create();
    state = new DaemonState(folders, BootId.current());
  }

  @Test
  void whateverRecordThereIsCounts() {
    state.attachments().write("a", record("c1"));
    state.journal().write("b", record("c2"));
    state.spool().write("c", record("c3"));
    RecordedContainers recorded = recorded(LATER);

    for (int i = 0; i < 3; i++) {
      assertThat(recorded.list())
          .containsExactly(container("c1"), container("c2"), container("c3"));
    }
  }

  @Test
  void anAttachmentThatDoesNotChangeIsReadOnce() {
    state.attachments().write("a", record("c1"));
    state.attachments().write("b", record("c2"));
    RecordedContainers recorded = recorded(LATER);

    for (int i = 0; i < 3; i++) {
      assertThat(recorded.list()).containsExactly(container("c1"), container("c2"));
    }

    assertThat(read).containsExactly("a", "b");
  }

  @Test
  void anAttachmentThatIsGoneCountsNoMoreAndIsReadWhenItIsBack() {
    state.attachments().write("a", record("c1"));
    RecordedContainers recorded = recorded(LATER);
    recorded.list();

    state.attachments().remove("a");
    assertThat(recorded.list()).isEmpty();
    state.attachments().write("a", record("c2"));
    assertThat(recorded.list()).containsExactly(container("c2"));
  }

  /** Within one tick of the file system's clock, and with the inode of the one before. */
  @Test
  void howeverSoonAnAttachmentIsReplacedItShows() {
    RecordedContainers recorded = recorded(Clock.systemUTC());
    for (int i = 0; i < 500; i++) {
      state.attachments().write("a", record("c" + i % 10));
      assertThat(recorded.list()).containsExactly(container("c" + i % 10));
    }
  }

  @Test
  void whatIsNotWholeIsReadUntilItIs() throws IOException {
    state.attachments().write("a", record("c1"));
    Path file = state.attachments().path().resolve("a");
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, new byte[] {1, 2, 3});
    RecordedContainers recorded = recorded(LATER);
    assertThat(recorded.list()).isEmpty();
    assertThat(recorded.list()).isEmpty();

    Files.write(file, whole);

    assertThat(recorded.list()).containsExactly(container("c1"));
    assertThat(read).containsExactly("a", "a", "a");
  }

  /** The attachment of such a record may still hold its address. */
  @Test
  void recordsOfAnEarlierStartAndWithoutANamespaceCountAsWell() {
    CallRecord now = record("c1");
    state
        .attachments()
        .write(
            "a",
            new CallRecord(
                new BootId(new UUID(1, 2)),
                now.unixMillis(),
                now.hostNetns(),
                new NamespaceId(4, 5),
                now.plugin(),
                now.environment(),
                now.stdin(),
                now.result()));

    assertThat(recorded(LATER).list()).containsExactly(container("c1"));
  }

  private RecordedContainers recorded(Clock clock) {
    return new RecordedContainers(
        state,
        name -> {
          read.add(name);
          return state.attachments().read(name);
        },
        clock);
  }

  private static Recorded container(String id) {
    return new Recorded(Optional.of(id), "shop/" + id);
  }

  private static CallRecord record(String container) {
    return new CallRecord(
        BootId.current(),
        3,
        NamespaceId.own(),
        NamespaceId.NONE,
        "calico",
        Map.of(
            CniEnvironment.CONTAINER_ID,
            container,
            CniEnvironment.IFNAME,
            "eth0",
            CniEnvironment.ARGS,
            "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=" + container),
        new byte[0],
        new byte[0]);
  }
}
