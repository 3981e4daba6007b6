/** Puts a container on the network of one of the host's interfaces, with an address of its own. */
@NullMarked
package io.ocicat.plugins.macvlan;

import org.jspecify.annotations.NullMarked;
