/** What a call spent its time on. */
@NullMarked
package io.ocicat.daemon.trace;

import org.jspecify.annotations.NullMarked;
