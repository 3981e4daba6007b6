@NullMarked
package io.ocicat.base.trace;

import org.jspecify.annotations.NullMarked;
