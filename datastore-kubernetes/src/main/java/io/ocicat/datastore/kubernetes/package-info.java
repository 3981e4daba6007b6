/** The datastore engine for the Kubernetes API. */
@NullMarked
package io.ocicat.datastore.kubernetes;

import org.jspecify.annotations.NullMarked;
