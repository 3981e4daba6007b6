/** Pod sandboxes as kubelet asks a container runtime for them, with their networks. */
@NullMarked
package io.ocicat.sandbox;

import org.jspecify.annotations.NullMarked;
