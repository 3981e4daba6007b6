/** {@code ocicat net}: attaches containers to networks by hand, and inspects networks. */
@NullMarked
package io.ocicat.cli.net;

import org.jspecify.annotations.NullMarked;
