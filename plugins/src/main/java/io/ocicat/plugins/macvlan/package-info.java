/**
 * The {@code macvlan} plugin: connects a container to the network of a host interface, with a
 * hardware address of its own.
 */
@NullMarked
package io.ocicat.plugins.macvlan;

import org.jspecify.annotations.NullMarked;
