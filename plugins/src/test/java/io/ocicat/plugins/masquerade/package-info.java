@NullMarked
package io.ocicat.plugins.masquerade;

import org.jspecify.annotations.NullMarked;
