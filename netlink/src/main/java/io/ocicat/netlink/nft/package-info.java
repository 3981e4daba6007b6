/**
 * nf_tables, the kernel's firewall and address translation, without the {@code nft} command.
 *
 * <p>{@link io.ocicat.netlink.nft.Tables}, {@link io.ocicat.netlink.nft.Chains}, {@link
 * io.ocicat.netlink.nft.Sets}, {@link io.ocicat.netlink.nft.Elements} and {@link
 * io.ocicat.netlink.nft.Rules} build requests and queries. Requests of this package are sent with
 * {@link io.ocicat.netlink.NetlinkSocket#transact(io.ocicat.netlink.NetlinkRequest...)}: the kernel
 * accepts no other form, and applies either all of them or none.
 *
 * <p>The requests are what {@code nft} itself would have sent for the same text, including the user
 * data that it needs for printing, so {@code nft list ruleset} shows it readably.
 */
@NullMarked
package io.ocicat.netlink.nft;

import org.jspecify.annotations.NullMarked;
