package io.ocicat.cni.runtime;

import java.util.List;

/**
 * Everything a configuration directory has to say.
 *
 * @param networks those that can be used, in lexical order of their files, each name once
 * @param problems what is wrong with the other files
 */
public record ConfListing(List<NetworkFile> networks, List<ConfProblem> problems) {
  public ConfListing {
    networks = List.copyOf(networks);
    problems = List.copyOf(problems);
  }
}
