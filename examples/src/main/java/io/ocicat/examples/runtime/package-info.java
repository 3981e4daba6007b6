/** How to attach containers to networks. */
@NullMarked
package io.ocicat.examples.runtime;

import org.jspecify.annotations.NullMarked;
