/** Who may call, how many at once, and what happens on a connection. */
@NullMarked
package io.ocicat.daemon.server;

import org.jspecify.annotations.NullMarked;
