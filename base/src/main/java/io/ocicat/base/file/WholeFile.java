package io.ocicat.base.file;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Writes a file as a draft and renames it into place: readers see the old content or the new one,
 * complete, even if the writer is killed. By default only the owner may read it, the draft has a
 * random name in the same directory, and a crash of the machine may lose the content.
 *
 * <p>A draft is removed when writing fails. A writer that is killed leaves it: a random name for
 * good, a name given by {@link #draft} until the next write.
 */
public final class WholeFile {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");
  private static final FileAttribute<Set<PosixFilePermission>> NEW_FILE =
      PosixFilePermissions.asFileAttribute(OWNER_ONLY);

  /** Fails if the random name exists: then somebody is attacking. */
  private static final Set<OpenOption> NEW =
      Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);

  private static final Set<OpenOption> OVERWRITE =
      Set.of(
          StandardOpenOption.WRITE,
          StandardOpenOption.CREATE,
          StandardOpenOption.TRUNCATE_EXISTING,
          LinkOption.NOFOLLOW_LINKS);

  private final Path target;
  private final @Nullable Path draft;
  private final Set<PosixFilePermission> mode;
  private final boolean durable;

  private WholeFile(
      Path target, @Nullable Path draft, Set<PosixFilePermission> mode, boolean durable) {
    this.target = target;
    this.draft = draft;
    this.mode = mode;
    this.durable = durable;
  }

  public static WholeFile at(Path target) {
    return new WholeFile(target, null, OWNER_ONLY, false);
  }

  /**
   * Uses a draft of this name, on the same file system. The caller excludes other writers; an old
   * draft is overwritten, so that an interrupted write leaves nothing for long.
   */
  public WholeFile draft(Path name) {
    return new WholeFile(target, name, mode, durable);
  }

  /** Sets these permissions, such as {@code rwxr-xr-x}, regardless of the umask. */
  public WholeFile mode(String permissions) {
    return new WholeFile(
        target, draft, Set.copyOf(PosixFilePermissions.fromString(permissions)), durable);
  }

  /** Syncs the content to disk before the rename, so that it survives a power failure. */
  public WholeFile durable() {
    return new WholeFile(target, draft, mode, true);
  }

  /** Replaces the file's content. */
  public void write(byte[] content) throws IOException {
    put(
        out -> {
          ByteBuffer left = ByteBuffer.wrap(content);
          while (left.hasRemaining()) {
            out.write(left);
          }
          return content.length;
        });
  }

  /** Replaces the file's content by what {@code text} writes, in UTF-8. */
  public <T> T write(TextOutput<T> text) throws IOException {
    return put(
        out -> {
          Writer writer =
              new BufferedWriter(Channels.newWriter(out, StandardCharsets.UTF_8.newEncoder(), -1));
          T result = text.writeTo(writer);
          writer.flush();
          return result;
        });
  }

  /** Writes a text piece by piece. */
  @FunctionalInterface
  public interface TextOutput<T> {
    T writeTo(Writer out) throws IOException;
  }

  @FunctionalInterface
  private interface Output<T> {
    T writeTo(FileChannel out) throws IOException;
  }

  private <T> T put(Output<T> content) throws IOException {
    Path unfinished = draft != null ? draft : randomDraft();
    boolean done = false;
    try {
      T result;
      try (FileChannel out =
          FileChannel.open(unfinished, draft == null ? NEW : OVERWRITE, NEW_FILE)) {
        result = content.writeTo(out);
        if (!mode.equals(OWNER_ONLY)) {
          Files.setPosixFilePermissions(unfinished, mode);
        }
        if (durable) {
          out.force(true);
        }
      }
      Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
      done = true;
      return result;
    } finally {
      if (!done) {
        discard(unfinished);
      }
    }
  }

  private Path randomDraft() {
    return target.resolveSibling(
        ".%s.%08x".formatted(target.getFileName(), ThreadLocalRandom.current().nextInt()));
  }

  private static void discard(Path unfinished) {
    try {
      Files.deleteIfExists(unfinished);
    } catch (IOException _) {
      // The failure to write is the one to report.
    }
  }
}
