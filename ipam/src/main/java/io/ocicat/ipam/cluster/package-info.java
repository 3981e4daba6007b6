/**
 * Reads IPAM's records, pools, reservations and settings, either on each call or through caches
 * kept current by watches.
 */
@NullMarked
package io.ocicat.ipam.cluster;

import org.jspecify.annotations.NullMarked;
