/**
 * Keys, values and one global revision, as etcd has them: what the embedded engine and etcd have in
 * common beneath {@link io.ocicat.datastore.Datastore}.
 */
@NullMarked
package io.ocicat.datastore.kv;

import org.jspecify.annotations.NullMarked;
