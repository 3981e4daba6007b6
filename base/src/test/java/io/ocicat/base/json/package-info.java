@NullMarked
package io.ocicat.base.json;

import org.jspecify.annotations.NullMarked;
