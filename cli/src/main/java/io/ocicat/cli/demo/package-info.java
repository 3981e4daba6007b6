/** {@code ocicat demo}: shows the product's main job on a temporary node. */
@NullMarked
package io.ocicat.cli.demo;

import org.jspecify.annotations.NullMarked;
