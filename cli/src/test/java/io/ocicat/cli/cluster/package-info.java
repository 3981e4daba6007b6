/** Tests of {@code ocicat cluster} that need no cluster. */
@NullMarked
package io.ocicat.cli.cluster;

import org.jspecify.annotations.NullMarked;
