package io.ocicat.conformance.lab;

import io.ocicat.cni.SpecVersion;
import java.util.Arrays;
import java.util.List;

/**
 * The specification versions that a plugin supports.
 *
 * @param versions those that the plugin claims, in the specification's order; empty when VERSION
 *     failed
 * @param usable those of them that its IPAM plugin, which reads the same configuration, supports as
 *     well
 */
public record ClaimedVersions(List<SpecVersion> versions, List<SpecVersion> usable) {
  /** The version for a plugin whose VERSION fails. */
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

  /** The same with an IPAM plugin that supports these; one whose VERSION fails limits nothing. */
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
