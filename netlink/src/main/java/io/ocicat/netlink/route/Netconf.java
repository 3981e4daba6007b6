package io.ocicat.netlink.route;

import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.Topic;

/**
 * An announcement that a sysctl of a link (net/ipv4/conf/…, net/ipv6/conf/…) was changed: {@code
 * forwarding}, {@code rp_filter}, {@code proxy_arp} or {@code proxy_ndp}. The kernel announces no
 * others. Read the value by {@link io.ocicat.netlink.ns.Sysctl}.
 *
 * @param link the link's index; negative for {@code all} and {@code default}
 */
public record Netconf(IpFamily family, int link) {
  private static final int RTM_NEWNETCONF = 80;
  private static final int RTM_DELNETCONF = 81;
  private static final int GROUP_IPV4 = 24;
  private static final int GROUP_IPV6 = 25;

  /** struct netconfmsg, padded. */
  private static final int NETCONFMSG = 1;

  private static final int IFINDEX = 1;

  public static final Topic<Netconf> CHANGES =
      Topic.of(
              RTM_NEWNETCONF,
              RTM_DELNETCONF,
              message ->
                  new Netconf(
                      FamilyHeader.familyOf(message),
                      message.attributes(NETCONFMSG).u32(IFINDEX, 0)),
              GROUP_IPV4,
              GROUP_IPV6)
          .only(FamilyHeader::isIp);
}
