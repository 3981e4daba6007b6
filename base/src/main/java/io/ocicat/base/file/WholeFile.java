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
 * A file that is written as a draft first and then takes its place by a rename: whoever reads sees
 * the old content or the new, whole, also when the writer is killed. Unless told otherwise, it is
 * for its owner alone, its draft has a random name beside it, and a crash of the machine may lose
 * the content.
 *
 * <p>A draft is removed when writing fails. One who is killed leaves it: under a random name for
 * ever, under a name that {@link #draft} gave until the next one writes.
 */
public final class WholeFile {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");
  private static final FileAttribute<Set<PosixFilePermission>> NEW_FILE =
      PosixFilePermissions.asFileAttribute(OWNER_ONLY);

  /** Nobody else has that name, or it is an attack. */
  private static final Set<OpenOption> NEW =
      Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);

  private static final Set<OpenOption> ANEW =
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
   * With a draft of this name, on the same file system. Nobody else may be writing it, and what is
   * there is overwritten, so that whoever was interrupted leaves nothing for long.
   */
  public WholeFile draft(Path name) {
    return new WholeFile(target, name, mode, durable);
  }

  /** With these permissions, as in {@code rwxr-xr-x}, whatever the umask is. */
  public WholeFile mode(String permissions) {
    return new WholeFile(
        target, draft, Set.copyOf(PosixFilePermissions.fromString(permissions)), durable);
  }

  /** The content is on the disk before the name is, so that it survives that the power fails. */
  public WholeFile durable() {
    return new WholeFile(target, draft, mode, true);
  }

  /** Puts this content there, in place of what was there. */
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

  /** Puts there what is written in UTF-8, in place of what was there. */
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
      try (FileChannel out = FileChannel.open(unfinished, draft == null ? NEW : ANEW, NEW_FILE)) {
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
      // Why it could not be written is what has to be told.
    }
  }
}
