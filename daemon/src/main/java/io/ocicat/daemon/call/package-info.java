/** One call of a plugin, from what the caller sent to what it gets back. */
@NullMarked
package io.ocicat.daemon.call;

import org.jspecify.annotations.NullMarked;
