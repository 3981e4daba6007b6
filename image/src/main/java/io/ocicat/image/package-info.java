/** Container images as values, and the store that keeps them. */
@NullMarked
package io.ocicat.image;

import org.jspecify.annotations.NullMarked;
