/** Prepares a starting daemon so that its first calls are not slower than later ones. */
@NullMarked
package io.ocicat.daemon.start;

import org.jspecify.annotations.NullMarked;
