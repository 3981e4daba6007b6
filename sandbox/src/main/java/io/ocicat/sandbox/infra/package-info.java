/** The process that holds a pod together. */
@NullMarked
package io.ocicat.sandbox.infra;

import org.jspecify.annotations.NullMarked;
