/**
 * Traffic control: {@link io.ocicat.netlink.tc.Qdiscs queueing disciplines} that shape, {@link
 * io.ocicat.netlink.tc.Classes classes} that share, {@link io.ocicat.netlink.tc.Filters filters}
 * that choose and redirect.
 */
@NullMarked
package io.ocicat.netlink.tc;

import org.jspecify.annotations.NullMarked;
