/** The infra process that holds a pod. */
@NullMarked
package io.ocicat.sandbox.infra;

import org.jspecify.annotations.NullMarked;
