/** The resident process: accepts calls from the shim, makes them, and keeps what they leave. */
@NullMarked
package io.ocicat.daemon;

import org.jspecify.annotations.NullMarked;
