@NullMarked
package io.ocicat.daemon.state;

import org.jspecify.annotations.NullMarked;
