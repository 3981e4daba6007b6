package io.ocicat.image.registry;

import io.ocicat.base.Backoff;
import io.ocicat.image.Digest;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import io.ocicat.image.ImageReference;
import io.ocicat.image.PullEvent;
import io.ocicat.image.RegistryCredentials;
import io.ocicat.image.manifest.Descriptor;
import io.ocicat.image.manifest.Manifest;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Fetches manifests and blobs of one repository (OCI distribution specification) from its mirrors
 * and its registry, each asked in turn. What fails for reasons of the moment is tried again after
 * growing delays. Everything is verified by its digest, whoever sent it. Thread-safe.
 */
public final class RegistryClient implements AutoCloseable {
  private static final String ACCEPTED = String.join(", ", Manifest.MEDIA_TYPES);

  private final ImageReference reference;
  private final RegistrySettings settings;
  private final PullEvent.Listener listener;
  private final List<HostSession> sessions = new ArrayList<>();

  /** A document and its own digest. */
  public static final class Document {
    private final Digest digest;
    private final byte[] bytes;

    Document(byte[] bytes) {
      this.digest = Digest.of(bytes);
      this.bytes = bytes;
    }

    public Digest digest() {
      return digest;
    }

    /** Not a copy. */
    public byte[] bytes() {
      return bytes;
    }
  }

  /** One thing to do with one server. */
  interface Request<T> {
    T from(HostSession session) throws IOException;
  }

  public RegistryClient(
      ImageReference reference,
      RegistryCredentials credentials,
      RegistrySettings settings,
      PullEvent.Listener listener) {
    this.reference = reference;
    this.settings = settings;
    this.listener = listener;
    for (RegistryHost host : HostsFile.hosts(reference.registry(), settings.hostsFolder())) {
      sessions.add(new HostSession(host, reference, credentials, settings));
    }
  }

  /** What the reference names: a manifest or an index. */
  public Document resolve() {
    if (reference.digest() != null) {
      return manifest(reference.digest());
    }
    return ask(
        "the manifest of " + reference,
        RegistryHost::resolves,
        session -> manifest(session, String.valueOf(reference.tag())));
  }

  /** A manifest or index by its digest. */
  public Document manifest(Digest digest) {
    return ask(
        "manifest " + digest,
        _ -> true,
        session -> {
          Document document = manifest(session, digest.toString());
          if (!document.digest().equals(digest)) {
            throw new TransientException(
                "%s answers with content of digest %s"
                    .formatted(session.host().name(), document.digest()));
          }
          return document;
        });
  }

  private Document manifest(HostSession session, String name) throws IOException {
    return new Document(
        document(session, "manifests/" + name, Map.of("Accept", ACCEPTED), Manifest.LONGEST));
  }

  /** A small blob, such as a configuration. */
  public byte[] blob(Descriptor descriptor) {
    return ask(
        "blob " + descriptor.digest(),
        _ -> true,
        session -> {
          byte[] bytes =
              document(session, "blobs/" + descriptor.digest(), Map.of(), Manifest.LONGEST);
          Digest found = Digest.of(bytes);
          if (!found.equals(descriptor.digest())) {
            throw new TransientException(
                "%s answers with content of digest %s".formatted(session.host().name(), found));
          }
          return bytes;
        });
  }

  private byte[] document(
      HostSession session, String path, Map<String, String> headers, int longest)
      throws IOException {
    HttpResponse<InputStream> response = session.get(path, headers);
    try (InputStream body = new WatchedStream(response.body(), settings.noProgress())) {
      byte[] bytes = body.readNBytes(longest + 1);
      if (bytes.length > longest) {
        throw new ImageException(
            Reason.REFUSED,
            "%s answers with more than %d bytes for %s"
                .formatted(session.host().name(), longest, path));
      }
      return bytes;
    } catch (InterruptedIOException | TransientException e) {
      throw e;
    } catch (IOException e) {
      throw new TransientException(session.host().name() + ": " + TransientException.text(e), e);
    }
  }

  /**
   * Fetches a blob into a file, going on where an earlier attempt ended; on return the file has
   * exactly the content of the digest.
   */
  public void download(Descriptor descriptor, Path file) {
    BlobDownload download = new BlobDownload(descriptor, file, settings, listener);
    ask("blob " + descriptor.digest(), _ -> true, download::from);
  }

  /**
   * Asks servers in turn: a mirror once, the registry several times. An attempt that brought
   * something does not count.
   */
  private <T> T ask(String what, Predicate<RegistryHost> suitable, Request<T> request) {
    List<String> failures = new ArrayList<>();
    Reason reason = Reason.UNAVAILABLE;
    Exception last = new IllegalStateException("no server may be asked");
    for (HostSession session : sessions) {
      if (!suitable.test(session.host())) {
        continue;
      }
      try {
        return askOne(session, what, request);
      } catch (InterruptedIOException e) {
        throw new ImageException(Reason.CANCELLED, "pull %s: interrupted".formatted(reference), e);
      } catch (ImageException e) {
        if (e.reason() == Reason.CANCELLED || e.reason() == Reason.NO_SPACE) {
          throw e;
        }
        reason = e.reason();
        failures.add(String.valueOf(e.getMessage()));
        last = e;
      } catch (IOException e) {
        reason = e instanceof DamagedBlobException ? Reason.REFUSED : Reason.UNAVAILABLE;
        failures.add(TransientException.text(e));
        last = e;
      }
    }
    throw new ImageException(
        reason, "pull %s: %s: %s".formatted(reference, what, String.join("; ", failures)), last);
  }

  private <T> T askOne(HostSession session, String what, Request<T> request) throws IOException {
    Backoff backoff = new Backoff(settings.firstDelay(), settings.longestDelay());
    int left = session.host().mirror() ? 1 : settings.attempts();
    while (true) {
      try {
        return request.from(session);
      } catch (InterruptedIOException e) {
        throw e;
      } catch (ProgressException e) {
        backoff.reset();
        left = session.host().mirror() ? 1 : settings.attempts();
        pause(what, e, backoff.next());
      } catch (TransientException e) {
        left--;
        if (left <= 0) {
          throw e;
        }
        pause(what, e, backoff.next());
      }
    }
  }

  private void pause(String what, IOException why, Duration delay) throws InterruptedIOException {
    listener.on(new PullEvent.Retry(what, TransientException.text(why), delay));
    try {
      Thread.sleep(delay);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("interrupted");
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  @Override
  public void close() {
    sessions.forEach(HostSession::close);
  }
}
