/** Unpacks layers into directories that overlayfs stacks, and lists what is in them. */
@NullMarked
package io.ocicat.image.unpack;

import org.jspecify.annotations.NullMarked;
