/** Requests, results and errors of IPAM, as its callers use them. */
@NullMarked
package io.ocicat.ipam.model;

import org.jspecify.annotations.NullMarked;
