/** Tests of {@code ocicat connectivity}. */
@NullMarked
package io.ocicat.cli.connectivity;

import org.jspecify.annotations.NullMarked;
