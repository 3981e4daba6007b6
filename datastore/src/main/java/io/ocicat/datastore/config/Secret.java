package io.ocicat.datastore.config;

/** A text that no log and no message shows. Empty when there is none. */
public record Secret(String value) {
  public boolean isEmpty() {
    return value.isEmpty();
  }

  @Override
  public String toString() {
    return value.isEmpty() ? "" : "***";
  }
}
