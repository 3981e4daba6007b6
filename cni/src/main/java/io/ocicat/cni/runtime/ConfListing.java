package io.ocicat.cni.runtime;

import java.util.List;

/**
 * The networks and problems of a configuration directory.
 *
 * @param networks the usable ones, in lexical order of their files, each name once
 * @param problems with the other files
 */
public record ConfListing(List<NetworkFile> networks, List<ConfProblem> problems) {
  public ConfListing {
    networks = List.copyOf(networks);
    problems = List.copyOf(problems);
  }
}
