package io.ocicat.sandbox.network;

import java.util.List;

/**
 * Whether the pod network is ready.
 *
 * @param message why not; empty when it is ready
 * @param network the default network's name; empty when there is none
 * @param file where it is configured
 * @param problems what is wrong with files that were skipped, one line each
 */
public record NetworkStatus(
    boolean ready, String message, String network, String file, List<String> problems) {
  /** kubelet's reason for a network that is not ready. */
  public static final String NOT_READY = "NetworkPluginNotReady";

  public NetworkStatus {
    problems = List.copyOf(problems);
  }
}
