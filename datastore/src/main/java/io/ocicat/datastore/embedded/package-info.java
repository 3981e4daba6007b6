/**
 * The embedded engine: etcd's model of keys, values and revisions in one SQLite file that several
 * processes share.
 */
@NullMarked
package io.ocicat.datastore.embedded;

import org.jspecify.annotations.NullMarked;
