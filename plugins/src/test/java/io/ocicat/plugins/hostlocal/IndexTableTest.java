package io.ocicat.plugins.hostlocal;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.plugins.hostlocal.IndexFile.Change;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table on disk agrees with the index in memory. */
class IndexTableTest {
  private static final long START = 256;

  @TempDir Path tmp;

  @SuppressWarnings("NullAway.Init") // by open
  private FileChannel channel;

  @BeforeEach
  void open() throws IOException {
    channel = FileChannel.open(tmp.resolve("table"), READ, WRITE, CREATE);
  }

  @AfterEach
  void close() throws IOException {
    channel.close();
  }

  @Test
  void saysAfterAnyChangesWhatTheIndexInMemorySays() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    LeaseIndex model = new LeaseIndex();
    IndexTable table = IndexTable.create(channel, START, model);
    for (int i = 0; i < 20_000; i++) {
      // Few owners, and some whose rows begin at the same position: 32 bits of difference cancel
      // out.
      long owner = random.nextInt(20) * 0x100000001L + random.nextInt(3);
      Change change =
          new Change(random.nextBoolean(), owner, "10.0." + random.nextInt(6) + "." + owner % 256);
      if (!table.hasRoomFor(List.of(change))) {
        table = IndexTable.create(channel, START, model);
      }
      change.applyTo(model);
      table.apply(List.of(change));
      assertThat(table.files(owner))
          .as("seed %d, change %d", seed, i)
          .containsExactlyInAnyOrderElementsOf(model.files(owner));
    }
    assertThat(entries(table.load())).as("seed %d", seed).isEqualTo(entries(model));
    assertThat(table.live()).isEqualTo(model.size());
  }

  private static Set<String> entries(LeaseIndex index) {
    Set<String> entries = new TreeSet<>();
    index.forEach((owner, name) -> entries.add(owner + " " + name));
    return entries;
  }

  @Test
  void comingAndGoingLeavesNoRowsBehind() throws IOException {
    IndexTable table = IndexTable.create(channel, START, new LeaseIndex());
    for (long owner = 0; owner < 1000; owner++) {
      table.apply(List.of(new Change(true, owner, "10.0.0.1")));
      table.apply(List.of(new Change(false, owner, "10.0.0.1")));
    }
    assertThat(table.filled()).isZero();
    assertThat(table.live()).isZero();
  }

  @Test
  void whatCannotBeOneIsRefused() throws IOException {
    IndexTable table = IndexTable.create(channel, START, new LeaseIndex());
    int capacity = table.capacity();
    assertThat(IndexTable.at(channel, START, capacity, 0, 0).files(7)).isEmpty();
    assertThatThrownBy(() -> IndexTable.at(channel, START, capacity - 1, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> IndexTable.at(channel, START, capacity, 5, 4))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> IndexTable.at(channel, START, capacity, 0, capacity))
        .isInstanceOf(IllegalArgumentException.class);
    channel.truncate(START + 64);
    assertThatThrownBy(() -> IndexTable.at(channel, START, capacity, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
