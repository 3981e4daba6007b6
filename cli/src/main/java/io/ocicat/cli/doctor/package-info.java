/** {@code ocicat doctor}: finds what keeps containers from the network, or will. */
@NullMarked
package io.ocicat.cli.doctor;

import org.jspecify.annotations.NullMarked;
