/**
 * Calico-compatible IPAM, which assigns addresses from blocks. Reads and writes nothing but the
 * datastore.
 */
@NullMarked
package io.ocicat.ipam;

import org.jspecify.annotations.NullMarked;
