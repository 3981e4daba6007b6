/**
 * The runtime side of CNI, what libcni is for Go: finds configurations, runs their plugins in
 * order, caches results. {@link io.ocicat.cni.runtime.Cni} is where to start.
 */
@NullMarked
package io.ocicat.cni.runtime;

import org.jspecify.annotations.NullMarked;
