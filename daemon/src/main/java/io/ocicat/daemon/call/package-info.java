/** One call of a plugin, from the caller's request to the reply. */
@NullMarked
package io.ocicat.daemon.call;

import org.jspecify.annotations.NullMarked;
