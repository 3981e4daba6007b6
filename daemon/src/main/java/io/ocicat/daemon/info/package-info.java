/**
 * Reports what the daemon does, and changes nothing: HTTP over a Unix socket, so that {@code curl
 * --unix-socket} is a client.
 */
@NullMarked
package io.ocicat.daemon.info;

import org.jspecify.annotations.NullMarked;
