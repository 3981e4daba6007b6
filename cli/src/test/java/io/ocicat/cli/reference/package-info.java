/** Compares the reference pages in {@code docs/reference} with the code. */
@NullMarked
package io.ocicat.cli.reference;

import org.jspecify.annotations.NullMarked;
