/** Accepts connections, and decides which calls are served and how many at once. */
@NullMarked
package io.ocicat.daemon.server;

import org.jspecify.annotations.NullMarked;
