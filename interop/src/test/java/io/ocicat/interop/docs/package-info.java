/** Runs the pages of the documentation, and compares the output. */
@NullMarked
package io.ocicat.interop.docs;

import org.jspecify.annotations.NullMarked;
