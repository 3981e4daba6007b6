package io.ocicat.plugins.iptables;

import io.ocicat.cni.ContainerId;
import io.ocicat.cni.NetworkName;
import io.ocicat.plugins.net.NamingHash;

/** The names the Go plugins give the chains of one container. */
public final class ChainName {
  private static final int LENGTH = 28;

  /** The masquerading chain of bridge and ptp. */
  public static final String MASQUERADE = "CNI-";

  private ChainName() {}

  /**
   * The chain of a container on a network. The interface is not part of the name, and nothing
   * separates network and container: other attachments may have the same chain.
   */
  public static String of(String prefix, NetworkName network, ContainerId container) {
    return NamingHash.name(prefix, network.value() + container.value(), LENGTH);
  }
}
