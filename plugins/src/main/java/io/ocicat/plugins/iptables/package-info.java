/**
 * Reads, writes and removes the rules of iptables as the Go plugins create them, in nf_tables and
 * in legacy xtables.
 */
@NullMarked
package io.ocicat.plugins.iptables;

import org.jspecify.annotations.NullMarked;
