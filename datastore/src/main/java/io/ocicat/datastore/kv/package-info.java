/**
 * Keys, values and one global revision, as in etcd: the common basis of the embedded engine and
 * etcd below {@link io.ocicat.datastore.Datastore}.
 */
@NullMarked
package io.ocicat.datastore.kv;

import org.jspecify.annotations.NullMarked;
