/** Benchmarks, side by side with what they compare to. */
@NullMarked
package io.ocicat.bench;

import org.jspecify.annotations.NullMarked;
