/**
 * Links: {@link io.ocicat.netlink.link.Links} makes, finds and changes them, {@link
 * io.ocicat.netlink.link.Fdb} and {@link io.ocicat.netlink.link.BridgeVlans} hold what bridges and
 * tunnels know beside.
 */
@NullMarked
package io.ocicat.netlink.link;

import org.jspecify.annotations.NullMarked;
