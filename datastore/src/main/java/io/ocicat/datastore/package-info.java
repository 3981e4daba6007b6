/**
 * Calico's resources in a datastore: create, update, delete, get, list and watch, with revisions.
 * Resources are JSON trees, with typed views on them.
 */
@NullMarked
package io.ocicat.datastore;

import org.jspecify.annotations.NullMarked;
