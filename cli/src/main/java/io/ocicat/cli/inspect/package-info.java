/**
 * {@code ocicat trace}, {@code status} and {@code why}: what the daemon did, is doing and cannot
 * do.
 */
@NullMarked
package io.ocicat.cli.inspect;

import org.jspecify.annotations.NullMarked;
