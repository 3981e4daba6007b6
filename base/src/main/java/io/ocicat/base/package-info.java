/** What the modules above need and none should write again. */
@NullMarked
package io.ocicat.base;

import org.jspecify.annotations.NullMarked;
