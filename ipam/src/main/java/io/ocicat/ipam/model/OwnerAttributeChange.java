package io.ocicat.ipam.model;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A change of the owners of an assigned address, for migrating virtual machines. Null leaves an
 * owner as it is, and an empty map clears it.
 *
 * @param owner the attributes of the new owner
 * @param alternate the attributes of the new alternate owner
 * @param expectedOwner what must be true of the owner for the change; null for anything
 * @param expectedAlternate the same for the alternate
 */
public record OwnerAttributeChange(
    @Nullable Map<String, String> owner,
    @Nullable Map<String, String> alternate,
    @Nullable Expected expectedOwner,
    @Nullable Expected expectedAlternate) {

  /**
   * The owner that must be recorded.
   *
   * @param pod null together with the namespace: there must be no owner
   */
  public record Expected(@Nullable String namespace, @Nullable String pod) {
    public static final Expected NOBODY = new Expected(null, null);

    /** Expects the owner with these attributes. */
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
