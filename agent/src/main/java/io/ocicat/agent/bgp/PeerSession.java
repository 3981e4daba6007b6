package io.ocicat.agent.bgp;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session as it will be written.
 *
 * @param port the peer's; 0 for the usual one
 * @param source our address of the session; null for the kernel's choice
 * @param hops at how many hops the peer may be; 0 when that is not checked
 * @param password empty without one
 * @param disabled whether the protocol must not be used, for a reason among the problems
 * @param restartTime for how many seconds routes are kept while the peer restarts; 0 for the usual
 * @param keepaliveTime in seconds; 0 for the usual
 * @param clusterId the cluster whose client the peer is; empty when it is not one
 * @param filters the BGPFilters, in their order
 * @param gateway the way to the peer, if it needs a route of its own
 * @param description for people
 */
record PeerSession(
    ExpectedSession.Type type,
    IpAddress peer,
    int port,
    long peerAs,
    long localAs,
    @Nullable IpAddress source,
    boolean passive,
    int hops,
    String password,
    boolean disabled,
    long restartTime,
    long keepaliveTime,
    int allowedLocalAs,
    NextHop nextHop,
    String clusterId,
    List<String> filters,
    @Nullable IpAddress gateway,
    String description) {

  /** The next hop that is announced. */
  enum NextHop {
    USUAL,
    SELF,
    KEEP
  }

  PeerSession {
    filters = List.copyOf(filters);
  }

  String name() {
    return type.protocol(peer, port);
  }

  IpFamily family() {
    return IpFamily.of(peer);
  }

  /** Whether both sides are in one AS. */
  boolean isInternal() {
    return peerAs == localAs;
  }

  ExpectedSession expected() {
    return new ExpectedSession(name(), peer, type, peerAs, disabled);
  }
}
