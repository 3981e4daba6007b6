@NullMarked
package io.ocicat.sandbox.cgroup;

import org.jspecify.annotations.NullMarked;
