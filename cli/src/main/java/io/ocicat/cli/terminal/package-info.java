/** Formats the output of commands: tables, progress, errors with advice. */
@NullMarked
package io.ocicat.cli.terminal;

import org.jspecify.annotations.NullMarked;
