@NullMarked
package io.ocicat.ipam.block;

import org.jspecify.annotations.NullMarked;
