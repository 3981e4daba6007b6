/**
 * What IPAM reads: its own records, pools, reservations and settings, read each time or kept up to
 * date by watches.
 */
@NullMarked
package io.ocicat.ipam.cluster;

import org.jspecify.annotations.NullMarked;
