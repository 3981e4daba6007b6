/** Calico's resources in the Kubernetes API. */
@NullMarked
package io.ocicat.datastore.kubernetes;

import org.jspecify.annotations.NullMarked;
