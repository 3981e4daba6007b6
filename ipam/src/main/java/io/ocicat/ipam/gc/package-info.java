/** Garbage collection: addresses whose owner is gone. */
@NullMarked
package io.ocicat.ipam.gc;

import org.jspecify.annotations.NullMarked;
