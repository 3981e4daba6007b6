package io.ocicat.cni;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The versions that a list declares, and the one that is selected. */
record ListVersions(String cniVersion, List<String> cniVersions, String effective) {
  ListVersions {
    cniVersions = List.copyOf(cniVersions);
  }

  static ListVersions single(String cniVersion) {
    return new ListVersions(cniVersion, List.of(), cniVersion);
  }

  /**
   * The highest declared version that is implemented here; if there is none, cniVersion as written.
   * Every string must be a version.
   */
  static ListVersions negotiate(String cniVersion, List<String> cniVersions) {
    String effective =
        Stream.concat(cniVersions.stream(), Stream.of(cniVersion).filter(v -> !v.isEmpty()))
            .filter(v -> VersionNumber.parse(v).compareTo(SpecVersion.LATEST.number()) <= 0)
            .max(Comparator.comparing(VersionNumber::parse))
            .orElse(cniVersion);
    return new ListVersions(cniVersion, cniVersions, effective);
  }
}
