/** {@code ocicat ipam}: who has which of Calico's addresses, what is wrong, and what to do. */
@NullMarked
package io.ocicat.cli.ipam;

import org.jspecify.annotations.NullMarked;
