package io.ocicat.datastore.resource;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list, in key order.
 *
 * @param revision the datastore's revision at the time of the read: a watch from here misses
 *     nothing
 * @param unreadable what is stored and cannot be read
 * @param next the token of the next page; null on the last
 */
public record ResourcePage(
    String revision, List<Resource> items, List<Unreadable> unreadable, @Nullable String next) {

  /**
   * Something that cannot be read.
   *
   * @param key null when not even that can be read
   * @param problem one line that names it
   */
  public record Unreadable(@Nullable ResourceKey key, String problem) {
    @Override
    public String toString() {
      return problem;
    }
  }

  public ResourcePage {
    items = List.copyOf(items);
    unreadable = List.copyOf(unreadable);
  }

  public Optional<String> nextPage() {
    return Optional.ofNullable(next);
  }
}
