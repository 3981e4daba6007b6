/** Calico's resources as values: kinds, keys, documents, queries, events, writes. */
@NullMarked
package io.ocicat.datastore.resource;

import org.jspecify.annotations.NullMarked;
