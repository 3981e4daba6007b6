/** Linux networking from Java. */
@NullMarked
package io.ocicat.netlink;

import org.jspecify.annotations.NullMarked;
