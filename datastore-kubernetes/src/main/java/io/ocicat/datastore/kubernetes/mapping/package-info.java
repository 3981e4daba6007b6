/** Maps Calico's resources to Kubernetes objects and back. */
@NullMarked
package io.ocicat.datastore.kubernetes.mapping;

import org.jspecify.annotations.NullMarked;
