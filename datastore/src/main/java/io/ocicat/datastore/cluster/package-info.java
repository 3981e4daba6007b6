/** What a cluster tells of its pods beside Calico's own resources. */
@NullMarked
package io.ocicat.datastore.cluster;

import org.jspecify.annotations.NullMarked;
