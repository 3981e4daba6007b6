@NullMarked
package io.ocicat.netlink.conntrack;

import org.jspecify.annotations.NullMarked;
