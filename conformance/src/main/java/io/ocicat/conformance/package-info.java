/**
 * Checks any CNI plugin executable against the protocol, in namespaces and directories made for
 * that. {@link io.ocicat.conformance.Conformance} is where to begin.
 */
@NullMarked
package io.ocicat.conformance;

import org.jspecify.annotations.NullMarked;
