/** Masquerades containers with the host's address: the option {@code ipMasq} of bridge and ptp. */
@NullMarked
package io.ocicat.plugins.masquerade;

import org.jspecify.annotations.NullMarked;
