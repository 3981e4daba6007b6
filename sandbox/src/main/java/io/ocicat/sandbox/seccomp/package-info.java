/** Which system calls a container may make. */
@NullMarked
package io.ocicat.sandbox.seccomp;

import org.jspecify.annotations.NullMarked;
