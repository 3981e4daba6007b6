package io.ocicat.sandbox.network;

import java.util.List;

/**
 * Whether pods can have a network.
 *
 * @param message why not; empty when they can
 * @param network the default network's name; empty when there is none
 * @param file where it is configured
 * @param problems what is wrong with files that were passed over, one line each
 */
public record NetworkStatus(
    boolean ready, String message, String network, String file, List<String> problems) {
  /** What kubelet calls the reason when pods cannot. */
  public static final String NOT_READY = "NetworkPluginNotReady";

  public NetworkStatus {
    problems = List.copyOf(problems);
  }
}
