/** Files and locks that processes share. */
@NullMarked
package io.ocicat.sandbox.files;

import org.jspecify.annotations.NullMarked;
