/** Traces operations step by step. */
@NullMarked
package io.ocicat.sandbox.trace;

import org.jspecify.annotations.NullMarked;
