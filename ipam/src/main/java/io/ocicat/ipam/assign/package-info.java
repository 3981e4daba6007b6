/** Assigns and releases addresses across blocks. */
@NullMarked
package io.ocicat.ipam.assign;

import org.jspecify.annotations.NullMarked;
