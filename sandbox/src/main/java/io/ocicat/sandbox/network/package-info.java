/** Selects the network of pods, and attaches pods to it. */
@NullMarked
package io.ocicat.sandbox.network;

import org.jspecify.annotations.NullMarked;
