package io.ocicat.conformance.lab;

import io.ocicat.cni.SpecVersion;
import java.util.Arrays;
import java.util.List;

/**
 * Which versions the plugin says it speaks, as far as the specification knows them.
 *
 * @param versions in the specification's order; empty when VERSION did not tell
 */
public record Claims(List<SpecVersion> versions) {
  /** What is spoken to a plugin that does not tell. */
  private static final SpecVersion GUESS = SpecVersion.V1_0_0;

  public static final Claims NONE = new Claims(List.of());

  public Claims {
    versions = List.copyOf(versions);
  }

  public static Claims of(List<String> supported) {
    return new Claims(
        Arrays.stream(SpecVersion.values()).filter(v -> supported.contains(v.text())).toList());
  }

  public boolean include(SpecVersion version) {
    return versions.contains(version);
  }

  /** The version in which the plugin is called unless a check wants another one. */
  public SpecVersion newest() {
    return versions.isEmpty() ? GUESS : versions.getLast();
  }

  @Override
  public String toString() {
    return versions.isEmpty()
        ? "no version of the specification"
        : String.join(", ", versions.stream().map(SpecVersion::text).toList());
  }
}
