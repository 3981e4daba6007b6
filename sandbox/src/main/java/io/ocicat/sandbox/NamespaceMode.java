package io.ocicat.sandbox;

import java.util.Locale;

/** Which namespace of a kind a pod's containers share; names and numbers are CRI's. */
public enum NamespaceMode {
  /** One for the whole pod. */
  POD,
  /** One for each container. */
  CONTAINER,
  /** The host's. */
  NODE,
  /** That of another container of the pod. */
  TARGET;

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
