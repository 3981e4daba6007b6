/** The stored state of sandboxes, in files. */
@NullMarked
package io.ocicat.sandbox.store;

import org.jspecify.annotations.NullMarked;
