/**
 * The datastore engine for etcd: gRPC with hand-written messages, failover between endpoints, and
 * watches that survive lost connections.
 */
@NullMarked
package io.ocicat.datastore.etcd;

import org.jspecify.annotations.NullMarked;
