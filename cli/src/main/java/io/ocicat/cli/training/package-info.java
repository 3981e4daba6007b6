/** Runs that train the AOT caches of the distribution; no command of a user leads here. */
@NullMarked
package io.ocicat.cli.training;

import org.jspecify.annotations.NullMarked;
