package io.ocicat.cli.doctor;

import io.ocicat.cni.CniException;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.NetworkFile;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Distinguishes networks that have a configuration file from removed ones: no runtime's GC ever
 * reaches the remains of the latter.
 *
 * @param configured the names of those that have one; empty when unknown
 */
record RemovedNetworks(Optional<Set<String>> configured) {
  static RemovedNetworks of(Cni cni) {
    try {
      return among(
          cni.networks().networks().stream().map(NetworkFile::name).collect(Collectors.toSet()));
    } catch (CniException _) {
      // The check of networks reports why.
      return new RemovedNetworks(Optional.empty());
    }
  }

  static RemovedNetworks among(Set<String> configured) {
    return new RemovedNetworks(Optional.of(Set.copyOf(configured)));
  }

  boolean isFormer(String network) {
    return configured.map(names -> !names.contains(network)).orElse(false);
  }

  /** What a finding says of it after its name. */
  String remark(String network) {
    return isFormer(network) ? ", which no file configures any more" : "";
  }

  /** How to remove what is left of containers that are gone. */
  String removalAdvice(String network) {
    String gc = "`ocicat net gc %s`".formatted(network);
    return isFormer(network)
        ? "if the containers are gone, %s removes what records tell of; for the rest put the network's file back first"
            .formatted(gc)
        : "if the containers are gone, %s removes it".formatted(gc);
  }
}
