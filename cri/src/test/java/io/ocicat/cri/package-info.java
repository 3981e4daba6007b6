@NullMarked
package io.ocicat.cri;

import org.jspecify.annotations.NullMarked;
