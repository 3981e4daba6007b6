/** Files that are always whole. */
@NullMarked
package io.ocicat.base.file;

import org.jspecify.annotations.NullMarked;
