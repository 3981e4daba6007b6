@NullMarked
package io.ocicat.sandbox;

import org.jspecify.annotations.NullMarked;
