/** Finds, claims and edits blocks and handles, one write at a time per block. */
@NullMarked
package io.ocicat.ipam.block;

import org.jspecify.annotations.NullMarked;
