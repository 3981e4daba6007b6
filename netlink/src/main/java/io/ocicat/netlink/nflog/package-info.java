/** Packets that rules of nf_tables log to a netlink group (linux/netfilter/nfnetlink_log.h). */
@NullMarked
package io.ocicat.netlink.nflog;

import org.jspecify.annotations.NullMarked;
