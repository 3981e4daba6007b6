/** Containers as values: what a CRI client asks for, and what it gets back. */
@NullMarked
package io.ocicat.sandbox.container;

import org.jspecify.annotations.NullMarked;
