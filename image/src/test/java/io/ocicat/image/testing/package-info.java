/** Images, archives and a registry for tests, of this module and of those above it. */
@NullMarked
package io.ocicat.image.testing;

import org.jspecify.annotations.NullMarked;
