/** Records what a call spent its time on, and why it failed. */
@NullMarked
package io.ocicat.daemon.trace;

import org.jspecify.annotations.NullMarked;
