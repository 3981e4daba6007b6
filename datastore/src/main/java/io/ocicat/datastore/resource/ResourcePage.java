package io.ocicat.datastore.resource;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Resources that were asked for, in the order of their keys.
 *
 * @param revision the datastore's when they were read: watch from here and nothing is missed
 * @param unreadable one line for each that is there and cannot be read
 * @param next what to ask the next page with; null when there is none
 */
public record ResourcePage(
    String revision, List<Resource> items, List<String> unreadable, @Nullable String next) {
  public ResourcePage {
    items = List.copyOf(items);
    unreadable = List.copyOf(unreadable);
  }

  public Optional<String> behind() {
    return Optional.ofNullable(next);
  }
}
