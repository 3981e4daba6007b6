/** Recording the steps of an operation with their times. */
@NullMarked
package io.ocicat.base.trace;

import org.jspecify.annotations.NullMarked;
