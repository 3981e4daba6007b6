@NullMarked
package io.ocicat.daemon.wire;

import org.jspecify.annotations.NullMarked;
