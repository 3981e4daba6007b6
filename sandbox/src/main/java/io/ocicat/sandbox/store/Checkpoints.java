package io.ocicat.sandbox.store;

import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.files.StateFiles;
import io.ocicat.sandbox.files.StateFiles.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The directory with a checkpoint for each sandbox. Each is written atomically and is on the disk
 * before anything that it describes is created. Thread-safe.
 */
public final class Checkpoints {
  private static final Pattern KEY =
      Pattern.compile("[A-Za-z0-9]([-_.A-Za-z0-9]{0,248}[A-Za-z0-9])?");

  private final Path folder;

  public Checkpoints(Path folder) {
    this.folder = folder;
  }

  public void put(String id, Checkpoint checkpoint) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw StateFiles.failed("make", folder, e);
    }
    StateFiles.write(file(id), checkpoint.bytes(), Durability.POWER);
  }

  /**
   * Returns a checkpoint; empty when there is none.
   *
   * @throws SandboxException with {@link Reason#CORRUPT} when it is damaged
   */
  public Optional<Checkpoint> get(String id) {
    return StateFiles.read(file(id)).map(Checkpoint::parse);
  }

  /**
   * Like {@link #get}, but deletes a damaged checkpoint: it is of no use, and nothing else would
   * delete it.
   */
  public Optional<Checkpoint> getOrDiscard(String id) {
    try {
      return get(id);
    } catch (SandboxException e) {
      if (e.reason() != Reason.CORRUPT) {
        throw e;
      }
      remove(id);
      return Optional.empty();
    }
  }

  /** When a checkpoint was written, in nanoseconds since 1970; 0 when there is none. */
  public long time(String id) {
    try {
      return Files.getLastModifiedTime(file(id)).to(TimeUnit.NANOSECONDS);
    } catch (IOException _) {
      return 0;
    }
  }

  /** Succeeds when there is none. */
  public void remove(String id) {
    StateFiles.remove(file(id));
  }

  /** The ids of all checkpoints. */
  public List<String> list() {
    return StateFiles.names(folder).stream().filter(name -> KEY.matcher(name).matches()).toList();
  }

  private Path file(String id) {
    if (!KEY.matcher(id).matches()) {
      throw new SandboxException(
          Reason.INVALID, "\"%s\" cannot be the id of a checkpoint".formatted(id));
    }
    return folder.resolve(id);
  }
}
