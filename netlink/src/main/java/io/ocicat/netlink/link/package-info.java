/**
 * Links: {@link io.ocicat.netlink.link.Links} creates, finds and changes them; {@link
 * io.ocicat.netlink.link.Fdb} and {@link io.ocicat.netlink.link.BridgeVlans} manage the forwarding
 * tables and VLANs of bridges and tunnels.
 */
@NullMarked
package io.ocicat.netlink.link;

import org.jspecify.annotations.NullMarked;
