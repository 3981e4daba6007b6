@NullMarked
package io.ocicat.plugins.tuning;

import org.jspecify.annotations.NullMarked;
