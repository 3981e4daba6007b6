@NullMarked
package io.ocicat.cni;

import org.jspecify.annotations.NullMarked;
