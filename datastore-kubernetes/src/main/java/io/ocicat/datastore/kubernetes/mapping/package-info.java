/** Which objects of Kubernetes Calico's resources are, and their conversion both ways. */
@NullMarked
package io.ocicat.datastore.kubernetes.mapping;

import org.jspecify.annotations.NullMarked;
