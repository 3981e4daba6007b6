/** The JSON documents that make an image: index, manifest, configuration. */
@NullMarked
package io.ocicat.image.manifest;

import org.jspecify.annotations.NullMarked;
