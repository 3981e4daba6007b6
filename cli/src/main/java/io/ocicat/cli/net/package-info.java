/** {@code ocicat net}: containers attached to networks by hand, and networks looked at. */
@NullMarked
package io.ocicat.cli.net;

import org.jspecify.annotations.NullMarked;
