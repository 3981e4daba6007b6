/**
 * The resident process: accepts calls from the shim, makes them, and cleans up what they leave
 * behind.
 */
@NullMarked
package io.ocicat.daemon;

import org.jspecify.annotations.NullMarked;
