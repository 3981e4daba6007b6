/** A CNI plugin of one's own. */
@NullMarked
package io.ocicat.examples.plugin;

import org.jspecify.annotations.NullMarked;
