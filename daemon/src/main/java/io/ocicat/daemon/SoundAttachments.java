package io.ocicat.daemon;

import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.State;
import io.ocicat.netlink.linux.FileStat;
import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The attachments that need no upkeep: their record is whole and of this start of the machine, and
 * their namespace is there, or there never was one.
 *
 * <p>That is looked after once a minute, for as many as a machine has. So what a record says is
 * remembered, and believed as long as its file looks the same; with that the price is a stat(2) of
 * the file and one of the namespace. A record is replaced by removing its file and making another,
 * which may get the inode of the one before and, within a tick of the file system's clock, its
 * times. Therefore a record is not remembered while its file is as young as that. For one thread.
 */
final class SoundAttachments {
  private final RecordFolder folder;
  private final Function<String, Optional<CallRecord>> records;
  private final Predicate<CallRecord> isSound;
  private final Clock clock;
  private final Map<String, Known> known = new HashMap<>();

  /** What was sound once, and where to look whether it still is. */
  private record Known(FileStat file, NamespaceId netns, String netnsPath) {
    boolean isSound() {
      return netns.isNone() || netns.isStillAt(netnsPath);
    }
  }

  static SoundAttachments of(State state, CallRunner runner, Clock clock) {
    RecordFolder folder = state.attachments();
    return new SoundAttachments(
        folder,
        folder::read,
        record ->
            record.boot().equals(state.boot())
                && (record.netns().isNone() || runner.namespaceIsThere(record)),
        clock);
  }

  /**
   * @param records reads a record of the folder; empty when it is not whole
   */
  SoundAttachments(
      RecordFolder folder,
      Function<String, Optional<CallRecord>> records,
      Predicate<CallRecord> isSound,
      Clock clock) {
    this.folder = folder;
    this.records = records;
    this.isSound = isSound;
    this.clock = clock;
  }

  boolean contains(String name) {
    // In this order: what changes after it was looked at must make a difference to the next look.
    long now = clock.millis();
    FileStat file = folder.stat(name).orElse(null);
    Known before = known.get(name);
    if (before != null && before.file().equals(file)) {
      return before.isSound();
    }
    known.remove(name);
    Optional<CallRecord> sound = records.apply(name).filter(isSound);
    if (sound.isPresent() && file != null && file.isSettled(now)) {
      CallRecord record = sound.get();
      known.put(name, new Known(file, record.netns(), record.netnsPath()));
    }
    return sound.isPresent();
  }

  /** Others are gone. */
  void forgetAllBut(Collection<String> names) {
    known.keySet().retainAll(new HashSet<>(names));
  }
}
