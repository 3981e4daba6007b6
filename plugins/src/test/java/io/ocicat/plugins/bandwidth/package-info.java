@NullMarked
package io.ocicat.plugins.bandwidth;

import org.jspecify.annotations.NullMarked;
