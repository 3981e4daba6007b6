/** The images of a machine on disk: content, layers, records, snapshots. */
@NullMarked
package io.ocicat.image.store;

import org.jspecify.annotations.NullMarked;
