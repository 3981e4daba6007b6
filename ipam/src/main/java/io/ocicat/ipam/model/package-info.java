/** Requests, results and errors of IPAM: what its callers see. */
@NullMarked
package io.ocicat.ipam.model;

import org.jspecify.annotations.NullMarked;
