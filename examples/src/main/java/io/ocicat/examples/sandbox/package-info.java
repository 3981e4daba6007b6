/** Pods from Java. */
@NullMarked
package io.ocicat.examples.sandbox;

import org.jspecify.annotations.NullMarked;
