/**
 * Traffic control: {@link io.ocicat.netlink.tc.Qdiscs queueing disciplines} shape traffic, {@link
 * io.ocicat.netlink.tc.Classes classes} share bandwidth, {@link io.ocicat.netlink.tc.Filters
 * filters} classify and redirect packets.
 */
@NullMarked
package io.ocicat.netlink.tc;

import org.jspecify.annotations.NullMarked;
