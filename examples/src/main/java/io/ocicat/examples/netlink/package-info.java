/** Linux networking from Java. */
@NullMarked
package io.ocicat.examples.netlink;

import org.jspecify.annotations.NullMarked;
