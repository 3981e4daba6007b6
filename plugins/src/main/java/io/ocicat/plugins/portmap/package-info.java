/** The {@code portmap} plugin: forwards ports of the host to containers. */
@NullMarked
package io.ocicat.plugins.portmap;

import org.jspecify.annotations.NullMarked;
