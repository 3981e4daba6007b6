/**
 * The kernel's table of connections, over a socket of {@link io.ocicat.netlink.Protocol#NETFILTER}.
 * A connection keeps its initial address translation for as long as it has traffic, so when a
 * translation changes or ends, the connections that use it have to be deleted.
 */
@NullMarked
package io.ocicat.netlink.conntrack;

import org.jspecify.annotations.NullMarked;
