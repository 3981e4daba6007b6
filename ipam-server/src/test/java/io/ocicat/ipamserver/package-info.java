@NullMarked
package io.ocicat.ipamserver;

import org.jspecify.annotations.NullMarked;
