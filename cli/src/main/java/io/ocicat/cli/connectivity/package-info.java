/** {@code ocicat connectivity}: who reaches whom, found out by packets, and why not. */
@NullMarked
package io.ocicat.cli.connectivity;

import org.jspecify.annotations.NullMarked;
