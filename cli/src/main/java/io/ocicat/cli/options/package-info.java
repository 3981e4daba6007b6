/** Options and context that commands share. */
@NullMarked
package io.ocicat.cli.options;

import org.jspecify.annotations.NullMarked;
