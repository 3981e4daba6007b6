package io.ocicat.agent.view;

/**
 * An entry of a Secret, which holds the password of a session.
 *
 * @param name the Secret
 * @param key which of its entries
 */
public record SecretEntry(String name, String key) implements Comparable<SecretEntry> {
  @Override
  public int compareTo(SecretEntry other) {
    int byName = name.compareTo(other.name);
    return byName != 0 ? byName : key.compareTo(other.key);
  }

  @Override
  public String toString() {
    return "entry %s of secret %s".formatted(key, name);
  }
}
