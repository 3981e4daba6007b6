/** The reference pages in {@code docs/reference}, held against the code. */
@NullMarked
package io.ocicat.cli.reference;

import org.jspecify.annotations.NullMarked;
