/** Checks IPAM's records against each other and against the addresses in use, and repairs them. */
@NullMarked
package io.ocicat.ipam.check;

import org.jspecify.annotations.NullMarked;
