/** Runs the example. */
@NullMarked
package io.ocicat.examples.netlink;

import org.jspecify.annotations.NullMarked;
