/**
 * What is kept in files so that a call that is killed can be finished by somebody else: the daemon
 * when it starts again, or a JVM that does one call without it. Both use all of this.
 */
@NullMarked
package io.ocicat.daemon.state;

import org.jspecify.annotations.NullMarked;
