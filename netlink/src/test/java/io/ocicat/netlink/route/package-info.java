@NullMarked
package io.ocicat.netlink.route;

import org.jspecify.annotations.NullMarked;
