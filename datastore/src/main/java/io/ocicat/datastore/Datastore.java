package io.ocicat.datastore;

import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
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
 * A datastore of Calico resources. Every write is validated, completed with defaults and stored as
 * Calico would store it; an invalid resource is rejected with all of its errors, and nothing is
 * written.
 *
 * <p>Revisions are opaque. Every operation ends within the engine's time limits with a result or a
 * {@link DatastoreException}; after {@link #close()} with an IllegalStateException. Thread-safe.
 */
public interface Datastore extends AutoCloseable {
  /** How many resources one {@link #commit} can write. */
  int MAX_WRITES = 128;

  /**
   * Creates a resource.
   *
   * @return the resource as stored, with its revision
   * @throws ExistsException when the key exists
   * @throws InvalidException when the resource is invalid, or already has a revision
   */
  Resource create(Resource resource);

  /**
   * Replaces the resource of that key if it is still at the revision that the new one has.
   *
   * @return the resource as stored, with its revision
   * @throws NotFoundException when the key does not exist
   * @throws ConflictException when it has changed in the meantime
   * @throws InvalidException when the resource is invalid, or has no revision
   */
  Resource update(Resource resource);

  /**
   * Deletes the resource of that key.
   *
   * @param revision deletes only if it is still at this revision; null for any
   * @return the deleted resource
   * @throws NotFoundException when the key does not exist
   * @throws ConflictException when it has changed in the meantime
   */
  Resource delete(ResourceKey key, @Nullable String revision);

  /**
   * Deletes a resource if it is unchanged since it was read.
   *
   * @throws NotFoundException when it no longer exists
   * @throws ConflictException when it has changed in the meantime
   */
  default Resource delete(Resource read) {
    return delete(read.key(), read.revision());
  }

  /** Whether several resources can be written in one transaction, by {@link #commit}. */
  boolean hasTransactions();

  /**
   * Applies several writes in one transaction, all or none.
   *
   * @param writes at most {@value #MAX_WRITES}, each of a different key
   * @throws UnsupportedException when this datastore has no transactions
   * @throws InvalidException when one of them is invalid; then none is applied
   */
  default WriteOutcome commit(List<Write> writes) {
    throw new UnsupportedException("this datastore writes one resource at a time");
  }

  /**
   * Reads one resource.
   *
   * @throws NotFoundException when the key does not exist
   * @throws CorruptException when the stored value cannot be read
   */
  Resource get(ResourceKey key);

  /**
   * Reads one page of the matching resources.
   *
   * @param limit the maximum number; 0 for no limit
   * @param next from the previous page; null for the first. All pages show the state of the first.
   * @throws CompactedException when the state of the first page is no longer available
   */
  ResourcePage list(ResourceQuery query, int limit, @Nullable String next);

  /** Reads all matching resources. */
  default ResourcePage list(ResourceQuery query) {
    List<Resource> items = new ArrayList<>();
    List<ResourcePage.Unreadable> unreadable = new ArrayList<>();
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
   * Delivers every change after {@code revision}, which came from a list, a batch of another watch,
   * or a resource.
   */
  ResourceWatch watch(ResourceQuery query, String revision);

  /** Pods, namespaces and nodes, as far as this datastore knows them. Closed with it. */
  Cluster cluster();

  /**
   * Returns why nothing can be written now, in one line. Empty when the last write succeeded, or
   * one that is tried now does.
   */
  default Optional<String> writeProblem() {
    return Optional.empty();
  }

  @Override
  void close();
}
