/**
 * The {@code ocicat} command line: its entry point and the commands that have no package of their
 * own.
 */
@NullMarked
package io.ocicat.cli;

import org.jspecify.annotations.NullMarked;
