/**
 * {@code ocicat get}, {@code apply} and the others: Calico's resources as calicoctl handles them.
 */
@NullMarked
package io.ocicat.cli.resource;

import org.jspecify.annotations.NullMarked;
