/** Blocks and handles: finding, claiming and editing them, one write at a time for each block. */
@NullMarked
package io.ocicat.ipam.block;

import org.jspecify.annotations.NullMarked;
