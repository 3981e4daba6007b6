/** {@code ocicat bgp}: shows the node's BGP sessions. */
@NullMarked
package io.ocicat.cli.bgp;

import org.jspecify.annotations.NullMarked;
