@NullMarked
package io.ocicat.plugins.ptp;

import org.jspecify.annotations.NullMarked;
