/** The checks, a class per topic. */
@NullMarked
package io.ocicat.conformance.check;

import org.jspecify.annotations.NullMarked;
