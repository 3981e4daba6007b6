/**
 * Keeps records in files so that another process can finish a call that is killed: the daemon when
 * it starts again, or a JVM that makes one call without it. Both use all of this.
 */
@NullMarked
package io.ocicat.daemon.state;

import org.jspecify.annotations.NullMarked;
