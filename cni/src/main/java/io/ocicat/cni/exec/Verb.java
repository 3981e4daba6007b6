package io.ocicat.cni.exec;

import java.util.List;
import java.util.Optional;

/** A CNI verb; the names are the values of CNI_COMMAND. */
public enum Verb {
  ADD,
  DEL,
  CHECK,
  GC,
  STATUS,
  VERSION;

  private static final List<Verb> ALL = List.of(values());

  /** By its exact name: verbs are upper-case. */
  public static Optional<Verb> find(String command) {
    for (Verb verb : ALL) {
      if (verb.name().equals(command)) {
        return Optional.of(verb);
      }
    }
    return Optional.empty();
  }
}
