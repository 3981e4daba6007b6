@NullMarked
package io.ocicat.conformance.check;

import org.jspecify.annotations.NullMarked;
