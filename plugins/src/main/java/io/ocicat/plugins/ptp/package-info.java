/**
 * The {@code ptp} plugin: connects a container to the host by a veth pair of its own, and routes
 * everything over it.
 */
@NullMarked
package io.ocicat.plugins.ptp;

import org.jspecify.annotations.NullMarked;
