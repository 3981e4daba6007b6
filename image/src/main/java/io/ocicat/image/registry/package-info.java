/** Talks to registries by the OCI distribution specification. */
@NullMarked
package io.ocicat.image.registry;

import org.jspecify.annotations.NullMarked;
