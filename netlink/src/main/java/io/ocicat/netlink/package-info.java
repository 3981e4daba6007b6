/**
 * Configures Linux networking over netlink. {@link io.ocicat.netlink.NetlinkSocket} carries {@link
 * io.ocicat.netlink.NetlinkRequest requests} and {@link io.ocicat.netlink.NetlinkQuery queries} to
 * the kernel; the packages below this one build them for links, addresses, routes, traffic control,
 * nf_tables and connection tracking.
 */
@NullMarked
package io.ocicat.netlink;

import org.jspecify.annotations.NullMarked;
