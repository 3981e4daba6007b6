/**
 * The {@code firewall} plugin: lets the packets of containers through the host's firewall, and
 * isolates networks. Its rules are those of the Go plugin, in the chains of iptables, with the
 * owner as a note (see {@link io.ocicat.netlink.nft.Rule}).
 */
@NullMarked
package io.ocicat.plugins.firewall;

import org.jspecify.annotations.NullMarked;
