/**
 * Pods, namespaces, nodes and virtual machines of a cluster, in addition to Calico's own resources.
 */
@NullMarked
package io.ocicat.datastore.cluster;

import org.jspecify.annotations.NullMarked;
