package io.ocicat.ipam.model;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What to note of an address in use, for virtual machines that move. Null leaves a side as it is,
 * and an empty map clears it.
 *
 * @param owner who has it now
 * @param alternate who is about to have it
 * @param expectedOwner what must be true of the owner when that is changed; null for anything
 * @param expectedAlternate the same of the alternate
 */
public record OwnerAttributeChange(
    @Nullable Map<String, String> owner,
    @Nullable Map<String, String> alternate,
    @Nullable Expected expectedOwner,
    @Nullable Expected expectedAlternate) {

  /**
   * Who must be noted.
   *
   * @param pod null together with the namespace: nobody must be
   */
  public record Expected(@Nullable String namespace, @Nullable String pod) {
    public static final Expected NOBODY = new Expected(null, null);

    /** Whoever is noted so. */
    public static Expected of(Map<String, String> noted) {
      return new Expected(noted.get(CalicoConventions.NAMESPACE), noted.get(CalicoConventions.POD));
    }

    public boolean holds(Map<String, String> noted) {
      if (pod == null && namespace == null) {
        return noted.isEmpty();
      }
      return pod != null
          && namespace != null
          && Objects.equals(noted.get(CalicoConventions.POD), pod)
          && Objects.equals(noted.get(CalicoConventions.NAMESPACE), namespace);
    }

    @Override
    public String toString() {
      return pod == null ? "nobody" : namespace + "/" + pod;
    }
  }
}
