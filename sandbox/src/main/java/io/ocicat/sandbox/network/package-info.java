/** The network of pods: which one it is, and how pods are attached to it. */
@NullMarked
package io.ocicat.sandbox.network;

import org.jspecify.annotations.NullMarked;
