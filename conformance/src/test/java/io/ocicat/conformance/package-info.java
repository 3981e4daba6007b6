@NullMarked
package io.ocicat.conformance;

import org.jspecify.annotations.NullMarked;
