/** Benchmarks, each with a baseline to compare with. */
@NullMarked
package io.ocicat.bench;

import org.jspecify.annotations.NullMarked;
