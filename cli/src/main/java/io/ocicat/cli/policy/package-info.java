/** {@code ocicat policy}: says what network policy decides, and why. */
@NullMarked
package io.ocicat.cli.policy;

import org.jspecify.annotations.NullMarked;
