package io.ocicat.agent.flannel;

import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where the nodes of a flannel network keep their leases. Follows them in the background;
 * everything here is for one thread. Failures are a {@link FlannelException} or a {@link
 * DatastoreException}: what is known stays valid.
 */
sealed interface LeaseRegistry extends AutoCloseable permits KeyLeaseRegistry, NodeLeaseRegistry {
  /** Whether everything has been read once. */
  boolean isKnown();

  /** Why the copy may be out of date; empty when it is not. */
  Optional<String> problem();

  NetConf configuration();

  /** Public addresses that an operator has set for this node, instead of its own. */
  Map<IpFamily, IpAddress> publicAddresses();

  /** What an earlier start of this node has published. */
  Optional<LeaseAttributes> published(LeaseAttributes self);

  /**
   * Makes the node have a lease with these attributes, and the same one as before if possible.
   *
   * @param previous the subnets that an earlier start had
   */
  SubnetLease ensure(NetConf conf, LeaseAttributes wanted, Optional<LeaseSubnets> previous);

  /** The leases of the other nodes, after {@link #ensure}. */
  List<SubnetLease> others();

  /** What in the registry cannot be read and is ignored, one line each. */
  List<String> unreadable();

  /** Renews the lease if that is due. */
  void renew();

  /** When {@link #renew} is due; empty for a lease that does not end. */
  Optional<Instant> renewal();

  @Override
  void close();
}
