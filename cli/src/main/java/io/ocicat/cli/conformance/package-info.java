/** {@code ocicat conformance}, with the servers that IPAM plugins need while they are checked. */
@NullMarked
package io.ocicat.cli.conformance;

import org.jspecify.annotations.NullMarked;
