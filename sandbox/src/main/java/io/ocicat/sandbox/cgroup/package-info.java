/** The kernel's control groups, of both versions. */
@NullMarked
package io.ocicat.sandbox.cgroup;

import org.jspecify.annotations.NullMarked;
