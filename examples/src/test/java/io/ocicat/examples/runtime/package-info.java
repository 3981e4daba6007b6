@NullMarked
package io.ocicat.examples.runtime;

import org.jspecify.annotations.NullMarked;
