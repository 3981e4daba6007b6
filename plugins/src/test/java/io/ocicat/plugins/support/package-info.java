@NullMarked
package io.ocicat.plugins.support;

import org.jspecify.annotations.NullMarked;
