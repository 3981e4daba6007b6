/** The programs that run containers: conmon, which outlives us, and an OCI runtime. */
@NullMarked
package io.ocicat.sandbox.container.conmon;

import org.jspecify.annotations.NullMarked;
