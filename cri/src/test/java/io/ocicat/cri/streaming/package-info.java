@NullMarked
package io.ocicat.cri.streaming;

import org.jspecify.annotations.NullMarked;
