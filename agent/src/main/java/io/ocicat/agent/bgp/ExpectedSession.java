package io.ocicat.agent.bgp;

import io.ocicat.ip.IpAddress;

/**
 * A session that the configuration has.
 *
 * @param protocol its name in BIRD, which is Calico's
 * @param asNumber the peer's
 * @param disabled whether it cannot be used as it is, for a reason among the problems
 */
public record ExpectedSession(
    String protocol, IpAddress peer, Type type, long asNumber, boolean disabled) {

  /** Why the node has a session. */
  public enum Type {
    NODE_MESH("Mesh"),
    GLOBAL_PEER("Global"),
    NODE_PEER("Node"),
    LOCAL_WORKLOAD("Local_Workload");

    private final String prefix;

    Type(String prefix) {
      this.prefix = prefix;
    }

    /** The name of a protocol; tools of others read type and address out of it. */
    String protocol(IpAddress peer, int port) {
      String address = peer.toString().replace('.', '_').replace(':', '_');
      return prefix + "_" + address + (port == 0 || this == NODE_MESH ? "" : "_port_" + port);
    }
  }
}
