/**
 * The datastore's engine on etcd: gRPC with messages of our own, fail-over between endpoints, and
 * watches that survive lost connections.
 */
@NullMarked
package io.ocicat.datastore.etcd;

import org.jspecify.annotations.NullMarked;
