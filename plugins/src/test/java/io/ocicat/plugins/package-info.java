@NullMarked
package io.ocicat.plugins;

import org.jspecify.annotations.NullMarked;
