/** Runs, stops, removes and lists pod sandboxes. */
@NullMarked
package io.ocicat.sandbox.pods;

import org.jspecify.annotations.NullMarked;
