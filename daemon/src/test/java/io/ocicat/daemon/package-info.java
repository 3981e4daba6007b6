@NullMarked
package io.ocicat.daemon;

import org.jspecify.annotations.NullMarked;
