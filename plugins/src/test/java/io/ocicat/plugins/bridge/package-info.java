@NullMarked
package io.ocicat.plugins.bridge;

import org.jspecify.annotations.NullMarked;
