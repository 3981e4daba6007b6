/** The kubelet side of a machine: what a pod is to its sandbox and to its network. */
@NullMarked
package io.ocicat.sandbox;

import org.jspecify.annotations.NullMarked;
