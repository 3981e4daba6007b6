/**
 * The side of CNI that attaches containers to networks, what libcni does for Go: finds
 * configurations, runs their plugins in order, remembers results. {@link io.ocicat.cni.runtime.Cni}
 * is where to start.
 */
@NullMarked
package io.ocicat.cni.runtime;

import org.jspecify.annotations.NullMarked;
