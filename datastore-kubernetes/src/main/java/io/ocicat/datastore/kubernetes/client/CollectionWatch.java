package io.ocicat.datastore.kubernetes.client;

import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.ResourceEvent;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Watches one collection on a thread of its own and queues its changes. When a stream ends, as
 * every one does after some minutes, the next begins right after the last event or bookmark, so
 * that none is missed or repeated. When the queue is full nothing more is read, and the server's
 * own buffers fill up.
 */
public final class CollectionWatch implements Runnable, AutoCloseable {
  /** The maximum duration of a stream. Bookmarks come about once a minute. */
  private static final Duration STREAM = Duration.ofMinutes(5);

  private static final Duration SILENCE = STREAM.plusSeconds(30);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
  private static final int LONGEST_LINE = 16 << 20;

  /** What to watch, and how to translate its changes. */
  public record Source(ApiCall call, String from, Translation translation) {}

  /** Translates a change of an object; empty when it is irrelevant. */
  @FunctionalInterface
  public interface Translation {
    Optional<ResourceEvent> translate(Change change, ObjectNode object);
  }

  /** The types of changes. */
  public enum Change {
    ADDED,
    MODIFIED,
    DELETED
  }

  /** A message to the reader of the queue. */
  public sealed interface Signal {
    /** Everything up to {@code revision} was delivered; {@code event} is empty for a bookmark. */
    record Reached(int feed, String revision, Optional<ResourceEvent> event) implements Signal {}

    /** The watch failed and is retried, except when history was lost. */
    record Failed(DatastoreException why) implements Signal {}

    /** Wakes the reader. */
    record Woken() implements Signal {}
  }

  /** The receiver of signals. */
  public interface Sink {
    void put(Signal signal) throws InterruptedException;
  }

  private final ApiClient api;
  private final Source source;
  private final int index;
  private final Sink sink;
  private String position;
  private volatile boolean closed;
  private volatile long heard = System.nanoTime();
  private volatile @Nullable InputStream stream;
  private volatile @Nullable DatastoreException failure;

  public CollectionWatch(ApiClient api, Source source, int index, Sink sink) {
    this.api = api;
    this.source = source;
    this.index = index;
    this.sink = sink;
    this.position = source.from();
  }

  @Override
  public void run() {
    Duration pause = FIRST_PAUSE;
    try {
      while (!closed) {
        String before = position;
        if (follow() && !position.equals(before)) {
          pause = FIRST_PAUSE;
        }
        if (failure instanceof CompactedException) {
          return;
        }
        Thread.sleep(pause);
        pause = ApiClient.longer(pause);
      }
    } catch (InterruptedException _) {
      // Closed.
    } catch (IllegalStateException _) {
      // The datastore was closed; the reader of the watch finds out by itself.
    }
  }

  /** Reads one stream to its end; false when it could not be opened. */
  private boolean follow() throws InterruptedException {
    ApiCall call =
        source
            .call()
            .with("resourceVersion", position)
            .with("allowWatchBookmarks", "true")
            .with("timeoutSeconds", String.valueOf(STREAM.toSeconds()));
    try {
      ApiClient.Lines lines = api.watch(call);
      try (InputStream in = new BufferedInputStream(lines.in(), 1 << 14)) {
        stream = in;
        failure = null;
        read(in, lines.access());
        return true;
      }
    } catch (UnavailableException e) {
      failure = e;
    } catch (DatastoreException e) {
      fail(e);
    } catch (IOException | IllegalArgumentException e) {
      failure =
          new UnavailableException(
              "%s was interrupted: %s".formatted(call.subject(), e.getMessage()), e);
    } finally {
      stream = null;
    }
    return false;
  }

  private void read(InputStream in, ApiAccess access) throws IOException, InterruptedException {
    heard = System.nanoTime();
    boolean useful = true;
    for (String line = line(in); line != null && useful && !closed; line = line(in)) {
      heard = System.nanoTime();
      useful = accept(StoredJson.parseObject(line), access);
    }
  }

  /**
   * Returns null at the end. A line without an end was cut off, and comes again with the next
   * stream.
   */
  private static @Nullable String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int octet = in.read(); octet >= 0; octet = in.read()) {
      if (octet == '\n') {
        return line.toString(StandardCharsets.UTF_8);
      }
      if (line.size() == LONGEST_LINE) {
        throw new IOException("an event has more than %d bytes".formatted(LONGEST_LINE));
      }
      line.write(octet);
    }
    return null;
  }

  /** Returns false when this stream must be replaced. */
  private boolean accept(ObjectNode event, ApiAccess access) throws InterruptedException {
    ObjectNode object = JsonTrees.object(event, "object");
    String revision = JsonTrees.revision(object);
    switch (event.path("type").asString("")) {
      case "ADDED" -> report(revision, translate(Change.ADDED, object));
      case "MODIFIED" -> report(revision, translate(Change.MODIFIED, object));
      case "DELETED" -> report(revision, translate(Change.DELETED, object));
      case "BOOKMARK" -> report(revision, Optional.empty());
      case "ERROR" -> {
        fail(ApiFailure.ofStatus(access, source.call(), object).exception());
        return false;
      }
      default -> {}
    }
    return true;
  }

  /** An object of an unexpected form must not stop the watch for good. */
  private Optional<ResourceEvent> translate(Change change, ObjectNode object)
      throws InterruptedException {
    try {
      return source.translation().translate(change, object);
    } catch (RuntimeException e) {
      sink.put(
          new Signal.Failed(
              new CorruptException(
                  "%s received %s, which cannot be read: %s"
                      .formatted(source.call().subject(), JsonTrees.name(object), e.getMessage()),
                  e)));
      return Optional.empty();
    }
  }

  private void report(String revision, Optional<ResourceEvent> event) throws InterruptedException {
    sink.put(new Signal.Reached(index, revision, event));
    position = revision;
  }

  private void fail(DatastoreException why) throws InterruptedException {
    failure = why;
    sink.put(new Signal.Failed(why));
  }

  /** Returns why it is not connected; null when it is. */
  public @Nullable DatastoreException failure() {
    return failure;
  }

  /** Closes a stream on which not even bookmarks arrive: its other end is gone. */
  public void checkSilence() {
    if (System.nanoTime() - heard > SILENCE.toNanos()) {
      heard = System.nanoTime();
      closeStream();
    }
  }

  private void closeStream() {
    InputStream open = stream;
    if (open != null) {
      try {
        open.close();
      } catch (IOException _) {
        // It is closed in any case.
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    closeStream();
  }
}
