/**
 * The packet filter as a table of nf_tables: from the values of {@link io.ocicat.agent.filter} to
 * chains, rules, sets and elements. Nothing here talks to the kernel.
 */
@NullMarked
package io.ocicat.agent.nft;

import org.jspecify.annotations.NullMarked;
