@NullMarked
package io.ocicat.interop;

import org.jspecify.annotations.NullMarked;
