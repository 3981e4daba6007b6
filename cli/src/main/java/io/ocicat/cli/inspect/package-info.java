/** {@code ocicat trace}, {@code status} and {@code why}: what the daemon did, does and cannot. */
@NullMarked
package io.ocicat.cli.inspect;

import org.jspecify.annotations.NullMarked;
