@NullMarked
package io.ocicat.daemon.start;

import org.jspecify.annotations.NullMarked;
