/** Addresses in blocks, as Calico hands them out. Reads and writes nothing but the datastore. */
@NullMarked
package io.ocicat.ipam;

import org.jspecify.annotations.NullMarked;
