package io.ocicat.daemon.state;

import io.ocicat.base.BootId;
import io.ocicat.base.CrashPoints;
import io.ocicat.netlink.ExchangeListener;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.netlink.linux.RangeLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The records of calls and attachments, in files that all our processes share.
 *
 * <p>An ADD first writes what it is about to do into the {@link #journal}; once it is done the
 * record moves to the {@link #attachments}. A DEL likewise writes, does, and removes both. So a
 * journal record whose attachment nobody has locked belongs to a call whose process died, and
 * running DEL for it cleans up. The {@link #spool} holds deferred DELs: those that could not be
 * finished but were promised to be.
 */
public final class DaemonState {
  private static final char SECOND = '-';

  private final StateFolders folders;
  private final BootId boot;
  private final CrashPoints points;
  private final RecordFolder journal;
  private final RecordFolder spool;
  private final RecordFolder attachments;

  public DaemonState(StateFolders folders, BootId boot) {
    this(folders, boot, CrashPoints.IGNORED);
  }

  public DaemonState(StateFolders folders, BootId boot, CrashPoints points) {
    this.folders = folders;
    this.boot = boot;
    this.points = points;
    journal = new RecordFolder(folders.journal(), points);
    spool = new RecordFolder(folders.spool(), points);
    attachments = new RecordFolder(folders.attachments(), points);
  }

  public BootId boot() {
    return boot;
  }

  public RecordFolder journal() {
    return journal;
  }

  public RecordFolder spool() {
    return spool;
  }

  public RecordFolder attachments() {
    return attachments;
  }

  /** The directory of the files that last until the next boot. */
  public Path runDirectory() {
    return folders.run();
  }

  /** Why other users may be able to change these files; empty when they cannot. */
  public Optional<String> weakness() {
    return folders.weakness();
  }

  /** Whether the machine is going down. */
  public boolean isShuttingDown() {
    return Files.exists(folders.shutdownMark());
  }

  /** Whether a daemon is running that will finish deferred DELs. */
  public boolean daemonRuns() {
    Optional<FileLock> free = FileLock.tryAcquire(folders.daemonLock(), FileLock.Mode.SHARED);
    free.ifPresent(FileLock::close);
    return free.isEmpty();
  }

  /** Runs a part of a call whose exchanges with the kernel are crash points, too. */
  public <T> T watched(Supplier<T> part) {
    if (points.equals(CrashPoints.IGNORED)) {
      return part.get();
    }
    ExchangeListener others = ExchangeListener.PRESENT.orElse((_, _, _) -> {});
    ExchangeListener both =
        (requests, start, end) -> {
          others.exchanged(requests, start, end);
          points.pass(requests.isEmpty() ? "nothing" : requests.getFirst().operation());
        };
    return ScopedValue.where(ExchangeListener.PRESENT, both).call(part::get);
  }

  /** Runs a delegated call; crash points are before and after it. */
  public <T> T delegating(Supplier<T> call) {
    points.pass("begin to delegate");
    T answer = call.get();
    points.pass("end of delegate");
    return answer;
  }

  /**
   * Locks an attachment, among all processes; empty when others hold it for longer than the limit.
   */
  public Optional<RangeLock> lock(AttachmentKey key, Duration limit) {
    return RangeLock.acquire(folders.attachmentLocks(), key.lockNumber(), limit);
  }

  /** The name that a plugin's record of an attachment has in all three folders. */
  public String nameOf(AttachmentKey key, String plugin, String network) {
    return key.fileName(plugin, network);
  }

  /** The name it has if it was written by a version that did not distinguish networks. */
  public String oldNameOf(AttachmentKey key, String plugin) {
    return key.oldFileName(plugin);
  }

  /**
   * The records in a folder that belong to this attachment, whatever plugin and network. A record
   * that exists but cannot be read just now is included without content.
   *
   * @param plugins all that may have records with old-style names
   */
  public Map<String, Optional<CallRecord>> recordsOf(
      AttachmentKey key, RecordFolder folder, Collection<String> plugins) {
    String prefix = key.filePrefix();
    Set<String> former =
        plugins.stream().map(key::oldFileName).collect(Collectors.toUnmodifiableSet());
    Map<String, Optional<CallRecord>> found = new LinkedHashMap<>();
    for (String name : folder.names()) {
      if (name.startsWith(prefix) || former.contains(firstName(name))) {
        Optional<CallRecord> record = folder.read(name);
        boolean torn = record.isEmpty() && (!folder.has(name) || folder.isBroken(name));
        boolean others = record.isPresent() && !record.get().key().equals(Optional.of(key));
        if (!torn && !others) {
          found.put(name, record);
        }
      }
    }
    return found;
  }

  /**
   * The name for a plugin that already has another record of the attachment; the distinction tells
   * them apart.
   */
  public String nameOfSecond(String first, long distinction) {
    return "%s%c%08x".formatted(first, SECOND, distinction);
  }

  /** The name that the first of a plugin's records of the same attachment has. */
  public static String firstName(String name) {
    int end = name.indexOf(SECOND);
    return end < 0 ? name : name.substring(0, end);
  }
}
