@NullMarked
package io.ocicat.ipam;

import org.jspecify.annotations.NullMarked;
