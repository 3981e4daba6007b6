package io.ocicat.daemon.state;

import io.ocicat.netlink.linux.RangeLock;
import java.time.Duration;
import java.util.Optional;

/**
 * What is known of calls and attachments, in files that all processes of ours share.
 *
 * <p>An ADD first writes what it is about to do into the {@link #journal}; once it is done the
 * record moves to the {@link #attachments}. A DEL likewise writes, does, and removes both. So what
 * the journal holds while nobody holds the attachment's lock is a call whose process died, and
 * running DEL for it leaves nothing behind. The {@link #spool} has DELs that could not be finished
 * and were promised to be.
 */
public final class State {
  private final Folders folders;
  private final BootId boot;
  private final RecordFolder journal;
  private final RecordFolder spool;
  private final RecordFolder attachments;

  public State(Folders folders, BootId boot) {
    this.folders = folders;
    this.boot = boot;
    journal = new RecordFolder(folders.journal());
    spool = new RecordFolder(folders.spool());
    attachments = new RecordFolder(folders.attachments());
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

  /** Alone with an attachment, among all processes; empty when others have it for too long. */
  public Optional<RangeLock> lock(AttachmentKey key, Duration limit) {
    return RangeLock.acquire(folders.attachmentLocks(), key.lockNumber(), limit);
  }

  /** The name that a plugin's record of an attachment has in all three folders. */
  public String nameOf(AttachmentKey key, String plugin) {
    return key.fileName(plugin);
  }
}
