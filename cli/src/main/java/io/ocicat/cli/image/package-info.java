/** {@code ocicat image}: pulls, loads, lists, removes and verifies images. */
@NullMarked
package io.ocicat.cli.image;

import org.jspecify.annotations.NullMarked;
