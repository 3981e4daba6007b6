@NullMarked
package io.ocicat.daemon.liveness;

import org.jspecify.annotations.NullMarked;
