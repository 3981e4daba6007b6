@NullMarked
package io.ocicat.base;

import org.jspecify.annotations.NullMarked;
