/** What was done, step by step. */
@NullMarked
package io.ocicat.base.trace;

import org.jspecify.annotations.NullMarked;
