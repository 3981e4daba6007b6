/**
 * The server that exec, attach and port-forward are served by: an HTTP connection that becomes one
 * of SPDY/3.1 or WebSocket.
 */
@NullMarked
package io.ocicat.cri.streaming;

import org.jspecify.annotations.NullMarked;
