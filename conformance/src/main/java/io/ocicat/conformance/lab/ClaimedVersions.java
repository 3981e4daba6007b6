package io.ocicat.conformance.lab;

import io.ocicat.cni.SpecVersion;
import java.util.Arrays;
import java.util.List;

/**
 * Which versions can be spoken to the plugin, as far as the specification knows them.
 *
 * @param versions what the plugin says it speaks, in the specification's order; empty when VERSION
 *     did not tell
 * @param usable those of them that also its IPAM plugin speaks, which reads the same configuration
 */
public record ClaimedVersions(List<SpecVersion> versions, List<SpecVersion> usable) {
  /** What is spoken to a plugin that does not tell. */
  private static final SpecVersion GUESS = SpecVersion.V1_0_0;

  public static final ClaimedVersions NONE = new ClaimedVersions(List.of(), List.of());

  public ClaimedVersions {
    versions = List.copyOf(versions);
    usable = List.copyOf(usable);
  }

  public static ClaimedVersions of(List<String> supported) {
    List<SpecVersion> known =
        Arrays.stream(SpecVersion.values()).filter(v -> supported.contains(v.text())).toList();
    return new ClaimedVersions(known, known);
  }

  /** The same with an IPAM plugin that speaks these; one that does not tell limits nothing. */
  public ClaimedVersions with(ClaimedVersions ipam) {
    return ipam.versions.isEmpty()
        ? this
        : new ClaimedVersions(versions, usable.stream().filter(ipam.versions::contains).toList());
  }

  /** The version in which the plugin is called unless a check wants another one. */
  public SpecVersion newest() {
    return usable.isEmpty() ? GUESS : usable.getLast();
  }

  @Override
  public String toString() {
    String spoken = describe(versions);
    return usable.equals(versions)
        ? spoken
        : "%s (with its IPAM plugin: %s)".formatted(spoken, describe(usable));
  }

  private static String describe(List<SpecVersion> versions) {
    return versions.isEmpty()
        ? "no version of the specification"
        : String.join(", ", versions.stream().map(SpecVersion::text).toList());
  }
}
