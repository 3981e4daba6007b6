package io.ocicat.image.registry;

import io.ocicat.image.Digest;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import io.ocicat.image.PullEvent;
import io.ocicat.image.PullEvent.LayerState;
import io.ocicat.image.manifest.Descriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One blob on its way into a file. The file keeps what came when a transfer is cut, and the next
 * attempt asks for the rest only. What a server sends beyond the announced size, or in place of the
 * announced content, is thrown away.
 */
final class BlobDownload {
  private static final int BUFFER = 64 << 10;
  private static final long REPORT_EVERY = 512 << 10;

  private final Descriptor descriptor;
  private final Path file;
  private final RegistrySettings settings;
  private final PullEvent.Listener listener;

  BlobDownload(
      Descriptor descriptor, Path file, RegistrySettings settings, PullEvent.Listener listener) {
    this.descriptor = descriptor;
    this.file = file;
    this.settings = settings;
    this.listener = listener;
  }

  /** Returns the file. */
  Path from(HostSession session) throws IOException {
    MessageDigest hash = Digest.hash();
    long done = hashPresent(hash);
    if (done < descriptor.size()) {
      done = fetch(session, hash, done);
    }
    Digest found = Digest.finish(hash.digest());
    if (!found.equals(descriptor.digest())) {
      Files.deleteIfExists(file);
      throw new DamagedBlobException(
          "%s sends content of digest %s in place of %s"
              .formatted(session.host().name(), found, descriptor.digest()));
    }
    report(done);
    return file;
  }

  /** What an earlier attempt left, unless it is too much. */
  private long hashPresent(MessageDigest hash) throws IOException {
    if (Files.notExists(file)) {
      return 0;
    }
    if (Files.size(file) > descriptor.size()) {
      Files.delete(file);
      return 0;
    }
    byte[] buffer = new byte[BUFFER];
    long done = 0;
    try (InputStream in = Files.newInputStream(file)) {
      int length;
      while ((length = in.read(buffer)) >= 0) {
        hash.update(buffer, 0, length);
        done += length;
      }
    }
    return done;
  }

  private long fetch(HostSession session, MessageDigest hash, long present) throws IOException {
    String path = "blobs/" + descriptor.digest();
    HttpResponse<InputStream> response;
    try {
      response =
          session.get(
              path, present == 0 ? Map.of() : Map.of("Range", "bytes=%d-".formatted(present)));
    } catch (ImageException e) {
      if (present > 0 && e.reason() == Reason.FAILED) {
        // Status 416 from a server that knows no ranges, or has another idea of the size.
        Files.deleteIfExists(file);
        throw new TransientException(String.valueOf(e.getMessage()), e);
      }
      throw e;
    }
    long start = present;
    if (response.statusCode() != 206 || !continues(response, present)) {
      // The server sends all of it again.
      start = 0;
      hash.reset();
    }
    return transfer(session, response, hash, start);
  }

  private static boolean continues(HttpResponse<?> response, long from) {
    return response
        .headers()
        .firstValue("Content-Range")
        .filter(range -> range.startsWith("bytes " + from + "-"))
        .isPresent();
  }

  private long transfer(
      HostSession session, HttpResponse<InputStream> response, MessageDigest hash, long start)
      throws IOException {
    long done = start;
    long reported = start;
    byte[] buffer = new byte[BUFFER];
    try (InputStream body = new WatchedStream(response.body(), settings.noProgress());
        OutputStream out = openOutput(start)) {
      report(done);
      int length;
      while ((length = receive(body, buffer, session, done > start)) >= 0) {
        if (length > descriptor.size() - done) {
          Files.deleteIfExists(file);
          throw new DamagedBlobException(
              "%s sends more than the %d bytes of %s"
                  .formatted(session.host().name(), descriptor.size(), descriptor.digest()));
        }
        write(out, buffer, length);
        hash.update(buffer, 0, length);
        done += length;
        if (done - reported >= REPORT_EVERY) {
          reported = done;
          report(done);
        }
      }
    }
    if (done < descriptor.size()) {
      throw cut(
          "%s ends the transfer after %d of %d bytes"
              .formatted(session.host().name(), done, descriptor.size()),
          done > start,
          null);
    }
    return done;
  }

  private void write(OutputStream out, byte[] buffer, int length) {
    try {
      out.write(buffer, 0, length);
    } catch (IOException e) {
      throw ImageException.unwritable(file, e);
    }
  }

  private OutputStream openOutput(long start) {
    try {
      return start == 0
          ? Files.newOutputStream(file)
          : Files.newOutputStream(file, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw ImageException.unwritable(file, e);
    }
  }

  /** Failures to read are the network's; failures to write are not, and are not tried again. */
  private static int receive(InputStream body, byte[] buffer, HostSession session, boolean progress)
      throws IOException {
    try {
      return body.read(buffer);
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException e) {
      if (Thread.currentThread().isInterrupted()) {
        InterruptedIOException interrupted = new InterruptedIOException("interrupted");
        interrupted.initCause(e);
        throw interrupted;
      }
      throw cut(session.host().name() + ": " + TransientException.text(e), progress, e);
    }
  }

  private static IOException cut(String message, boolean progress, @Nullable Throwable cause) {
    TransientException failure =
        cause == null ? new TransientException(message) : new TransientException(message, cause);
    return progress ? new ProgressException(message, failure) : failure;
  }

  private void report(long done) {
    listener.on(
        new PullEvent.Layer(descriptor.digest(), LayerState.DOWNLOADING, done, descriptor.size()));
  }
}
