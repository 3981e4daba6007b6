package io.ocicat.cni.exec;

import java.util.Arrays;
import java.util.Optional;

/** What a plugin is asked to do; the names are what CNI_COMMAND holds. */
public enum Verb {
  ADD,
  DEL,
  CHECK,
  GC,
  STATUS,
  VERSION;

  /** By its exact name: verbs are upper-case. */
  public static Optional<Verb> find(String command) {
    return Arrays.stream(values()).filter(verb -> verb.name().equals(command)).findFirst();
  }
}
