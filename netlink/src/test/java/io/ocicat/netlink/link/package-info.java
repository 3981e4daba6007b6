@NullMarked
package io.ocicat.netlink.link;

import org.jspecify.annotations.NullMarked;
