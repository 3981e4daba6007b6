/**
 * The plugin {@code firewall}: lets the packets of containers through the host's firewall, and
 * keeps networks apart. Its rules are those of the Go plugin, in the chains of iptables, with a
 * note whose they are.
 */
@NullMarked
package io.ocicat.plugins.firewall;

import org.jspecify.annotations.NullMarked;
