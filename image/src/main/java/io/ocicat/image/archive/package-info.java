/** Reads tar archives and what they are compressed with, from sources that may be hostile. */
@NullMarked
package io.ocicat.image.archive;

import org.jspecify.annotations.NullMarked;
