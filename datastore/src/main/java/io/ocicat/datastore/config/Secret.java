package io.ocicat.datastore.config;

/** A text that is never printed in logs or messages. Empty when absent. */
public record Secret(String value) {
  public boolean isEmpty() {
    return value.isEmpty();
  }

  @Override
  public String toString() {
    return value.isEmpty() ? "" : "***";
  }
}
