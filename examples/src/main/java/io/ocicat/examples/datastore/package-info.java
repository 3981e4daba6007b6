/** Pools and addresses from Java. */
@NullMarked
package io.ocicat.examples.datastore;

import org.jspecify.annotations.NullMarked;
