/** {@code ocicat demo}: the product's main job, shown on a node that exists for no longer. */
@NullMarked
package io.ocicat.cli.demo;

import org.jspecify.annotations.NullMarked;
