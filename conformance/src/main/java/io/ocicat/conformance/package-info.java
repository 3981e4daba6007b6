/**
 * Checks any CNI plugin executable against the protocol, in namespaces and directories made for
 * that. Start at {@link io.ocicat.conformance.Conformance}.
 */
@NullMarked
package io.ocicat.conformance;

import org.jspecify.annotations.NullMarked;
