/** Writing files atomically. */
@NullMarked
package io.ocicat.base.file;

import org.jspecify.annotations.NullMarked;
