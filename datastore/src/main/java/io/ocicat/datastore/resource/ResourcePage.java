package io.ocicat.datastore.resource;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list, in key order.
 *
 * @param revision the datastore's revision at the time of the read: a watch from here misses
 *     nothing
 * @param unreadable one line for each resource that cannot be read
 * @param next the token of the next page; null on the last
 */
public record ResourcePage(
    String revision, List<Resource> items, List<String> unreadable, @Nullable String next) {
  public ResourcePage {
    items = List.copyOf(items);
    unreadable = List.copyOf(unreadable);
  }

  public Optional<String> nextPage() {
    return Optional.ofNullable(next);
  }
}
