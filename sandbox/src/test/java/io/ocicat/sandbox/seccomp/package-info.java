@NullMarked
package io.ocicat.sandbox.seccomp;

import org.jspecify.annotations.NullMarked;
