/**
 * nf_tables, the kernel's firewall and address translation: what the {@code nft} command does,
 * without the command.
 *
 * <p>{@link io.ocicat.netlink.nft.Tables}, {@link io.ocicat.netlink.nft.Chains}, {@link
 * io.ocicat.netlink.nft.Sets}, {@link io.ocicat.netlink.nft.Elements} and {@link
 * io.ocicat.netlink.nft.Rules} make the requests and questions. Requests of this package travel
 * through {@link io.ocicat.netlink.NetlinkSocket#transact(io.ocicat.netlink.NetlinkRequest...)}:
 * the kernel takes no other form, and either all of them happen or none.
 *
 * <p>What is written here is what {@code nft} itself would have written for the same text, down to
 * the notes it leaves for its own printing, so {@code nft list ruleset} shows it readably.
 */
@NullMarked
package io.ocicat.netlink.nft;

import org.jspecify.annotations.NullMarked;
