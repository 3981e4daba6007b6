/** The ocicat command. */
@NullMarked
package io.ocicat.cli;

import org.jspecify.annotations.NullMarked;
