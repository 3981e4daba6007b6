/** Trains the AOT caches of the distribution; no user command leads here. */
@NullMarked
package io.ocicat.cli.training;

import org.jspecify.annotations.NullMarked;
