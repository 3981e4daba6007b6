package io.ocicat.datastore;

import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import io.ocicat.datastore.resource.Write;
import io.ocicat.datastore.resource.WriteOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Calico's resources. Every write is checked, completed with defaults and stored as Calico would
 * store it; what is wrong with it is told at once, and then nothing is written.
 *
 * <p>Revisions are opaque. Every operation ends within the engine's time limits with a result or a
 * {@link DatastoreException}; after {@link #close()} with an IllegalStateException. Thread-safe.
 */
public interface Datastore extends AutoCloseable {
  /** How many resources {@link #commit} writes at once. */
  int MAX_WRITES = 128;

  /**
   * Stores a new resource.
   *
   * @return as it is stored, with its revision
   * @throws ExistsException when there is one of that key
   * @throws InvalidException when it is not acceptable, or has a revision already
   */
  Resource create(Resource resource);

  /**
   * Replaces the resource of that key if it is still of the revision that the new one has.
   *
   * @return as it is stored, with its revision
   * @throws NotFoundException when there is none
   * @throws ConflictException when it has changed in the meantime
   * @throws InvalidException when it is not acceptable, or has no revision
   */
  Resource update(Resource resource);

  /**
   * Removes the resource of that key.
   *
   * @param revision only if it is still of this one; null for any
   * @return what was removed
   * @throws NotFoundException when there is none
   * @throws ConflictException when it has changed in the meantime
   */
  Resource delete(ResourceKey key, @Nullable String revision);

  /**
   * Removes what was read, if it is still the same.
   *
   * @throws NotFoundException when it is gone
   * @throws ConflictException when it has changed in the meantime
   */
  default Resource delete(Resource read) {
    return delete(read.key(), read.revision());
  }

  /**
   * Does several writes at one moment, or none of them: nobody ever sees a part. Not every
   * datastore can; to ask for nothing at all tells whether this one does.
   *
   * @param writes at most {@value #MAX_WRITES}, each of another key
   * @throws UnsupportedException when this datastore writes one resource at a time
   * @throws InvalidException when one of them is not acceptable; then none is done
   */
  default WriteOutcome commit(List<Write> writes) {
    throw new UnsupportedException("this datastore writes one resource at a time");
  }

  /**
   * Reads one.
   *
   * @throws NotFoundException when there is none
   * @throws CorruptException when what is stored cannot be read
   */
  Resource get(ResourceKey key);

  /**
   * Reads some of those asked for.
   *
   * @param limit at most so many; 0 for as many as there are
   * @param next from the page before; null for the first. All pages show the state of the first.
   * @throws CompactedException when the state of the first page is no longer known
   */
  ResourcePage list(ResourceQuery query, int limit, @Nullable String next);

  /** Reads all of those asked for. */
  default ResourcePage list(ResourceQuery query) {
    List<Resource> items = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    ResourcePage page = list(query, 0, null);
    items.addAll(page.items());
    unreadable.addAll(page.unreadable());
    while (page.next() != null) {
      page = list(query, 0, page.next());
      items.addAll(page.items());
      unreadable.addAll(page.unreadable());
    }
    return new ResourcePage(page.revision(), items, unreadable, null);
  }

  /**
   * Hands out every change behind {@code revision}, which came from a list, a batch of another
   * watch, or a resource.
   */
  ResourceWatch watch(ResourceQuery query, String revision);

  /** What this datastore tells of pods. Closed with it. */
  Cluster cluster();

  /**
   * Why nothing can be written now; one line. Empty when the last write succeeded, or one that is
   * tried now does.
   */
  default Optional<String> trouble() {
    return Optional.empty();
  }

  @Override
  void close();
}
