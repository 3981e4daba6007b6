@NullMarked
package io.ocicat.ip;

import org.jspecify.annotations.NullMarked;
