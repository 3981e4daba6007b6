package io.ocicat.agent.bgp;

import io.ocicat.agent.view.SecretEntry;

/** The passwords of sessions, as far as they are known. Never waits. */
@FunctionalInterface
public interface BgpSecrets {
  /** What is known of an entry of a Secret. */
  sealed interface Answer {
    /** The content of the entry. */
    record Found(String text) implements Answer {
      @Override
      public String toString() {
        return "Found[text=***]";
      }
    }

    /** The entry cannot be used; the reason follows the entry's name in a sentence. */
    record Missing(String why) implements Answer {}

    /** Nobody has looked yet. */
    record Pending() implements Answer {}
  }

  Answer find(SecretEntry entry);
}
