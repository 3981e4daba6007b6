/** Does what the pages of the documentation say, and compares. */
@NullMarked
package io.ocicat.interop.docs;

import org.jspecify.annotations.NullMarked;
