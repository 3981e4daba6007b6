/** Assigning and releasing addresses, across blocks. */
@NullMarked
package io.ocicat.ipam.assign;

import org.jspecify.annotations.NullMarked;
