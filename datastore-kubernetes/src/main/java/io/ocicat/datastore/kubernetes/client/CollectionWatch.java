package io.ocicat.datastore.kubernetes.client;

import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.json.Json;
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
 * Follows one collection on a thread of its own and puts what happens into a queue. A stream that
 * ends, which every one does after some minutes, is followed by one that begins right behind the
 * last event or bookmark, so that none is missed or repeated. When the queue is full nothing more
 * is read, and the server's own buffers fill up.
 */
public final class CollectionWatch implements Runnable, AutoCloseable {
  /** How long a stream may last. Bookmarks come about once a minute. */
  private static final Duration STREAM = Duration.ofMinutes(5);

  private static final Duration SILENCE = STREAM.plusSeconds(30);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
  private static final int LONGEST_LINE = 16 << 20;

  /** What to follow, and what its changes mean. */
  public record Source(ApiCall call, String from, Translation translation) {}

  /** What a change of an object means; nothing when it is of no interest. */
  @FunctionalInterface
  public interface Translation {
    Optional<ResourceEvent> translate(Change change, ObjectNode object);
  }

  /** What can happen to an object. */
  public enum Change {
    ADDED,
    MODIFIED,
    DELETED
  }

  /** What a feed tells. */
  public sealed interface Signal {
    /** Up to {@code revision} everything was told; {@code event} is empty for a bookmark. */
    record Reached(int feed, String revision, Optional<ResourceEvent> event) implements Signal {}

    /** It cannot go on as things are, and tries again; or not when history was lost. */
    record Failed(DatastoreException why) implements Signal {}

    /** Somebody wants attention. */
    record Woken() implements Signal {}
  }

  /** Where signals go. */
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
  private volatile @Nullable DatastoreException trouble;

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
        if (trouble instanceof CompactedException) {
          return;
        }
        Thread.sleep(pause);
        pause = ApiClient.longer(pause);
      }
    } catch (InterruptedException _) {
      // Closed.
    } catch (IllegalStateException _) {
      // The datastore was closed; whoever reads the watch is told so by itself.
    }
  }

  /** Reads one stream to its end; false when there was none. */
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
        trouble = null;
        read(in, lines.access());
        return true;
      }
    } catch (UnavailableException e) {
      trouble = e;
    } catch (DatastoreException e) {
      fail(e);
    } catch (IOException | IllegalArgumentException e) {
      trouble =
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
      useful = take(Json.parseObject(line), access);
    }
  }

  /** Null at the end. What has no end of line was cut off, and comes again with the next stream. */
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

  /** False when this stream is of no more use. */
  private boolean take(ObjectNode event, ApiAccess access) throws InterruptedException {
    ObjectNode object = JsonTrees.object(event, "object");
    String revision = JsonTrees.revision(object);
    switch (event.path("type").asString("")) {
      case "ADDED" -> tell(revision, translate(Change.ADDED, object));
      case "MODIFIED" -> tell(revision, translate(Change.MODIFIED, object));
      case "DELETED" -> tell(revision, translate(Change.DELETED, object));
      case "BOOKMARK" -> tell(revision, Optional.empty());
      case "ERROR" -> {
        fail(ApiFailure.ofStatus(access, source.call(), object).exception());
        return false;
      }
      default -> {}
    }
    return true;
  }

  /** An object that is like none ever seen must not silence the watch for good. */
  private Optional<ResourceEvent> translate(Change change, ObjectNode object)
      throws InterruptedException {
    try {
      return source.translation().translate(change, object);
    } catch (RuntimeException e) {
      sink.put(
          new Signal.Failed(
              new CorruptException(
                  "%s came upon %s, which cannot be read: %s"
                      .formatted(source.call().subject(), JsonTrees.name(object), e.getMessage()),
                  e)));
      return Optional.empty();
    }
  }

  private void tell(String revision, Optional<ResourceEvent> event) throws InterruptedException {
    sink.put(new Signal.Reached(index, revision, event));
    position = revision;
  }

  private void fail(DatastoreException why) throws InterruptedException {
    trouble = why;
    sink.put(new Signal.Failed(why));
  }

  /** Why it is not connected; null when it is. */
  public @Nullable DatastoreException trouble() {
    return trouble;
  }

  /** Gives up a stream from which even bookmarks stopped coming: nobody is at its other end. */
  public void checkPulse() {
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
        // It is given up in any case.
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    closeStream();
  }
}
