/** A custom CNI plugin. */
@NullMarked
package io.ocicat.examples.plugin;

import org.jspecify.annotations.NullMarked;
