/**
 * Calico's resources behind one small interface: create, update, delete, get, list and watch, with
 * revisions. Resources are JSON trees; typed views are read from them on the side.
 */
@NullMarked
package io.ocicat.datastore;

import org.jspecify.annotations.NullMarked;
