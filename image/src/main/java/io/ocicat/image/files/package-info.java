/** Files by directory descriptor: names as bytes, no link followed unasked, whole trees. */
@NullMarked
package io.ocicat.image.files;

import org.jspecify.annotations.NullMarked;
