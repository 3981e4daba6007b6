/** A CRI server: what kubelet and crictl talk to. */
@NullMarked
package io.ocicat.cri;

import org.jspecify.annotations.NullMarked;
