/** {@code ocicat cluster}: a cluster of namespaces on one machine. */
@NullMarked
package io.ocicat.cli.cluster;

import org.jspecify.annotations.NullMarked;
