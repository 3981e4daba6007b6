/**
 * What the Go plugins leave in iptables, to be found and removed: chains of one container and the
 * rules that lead there. Nothing is ever added.
 */
@NullMarked
package io.ocicat.plugins.iptables;

import org.jspecify.annotations.NullMarked;
