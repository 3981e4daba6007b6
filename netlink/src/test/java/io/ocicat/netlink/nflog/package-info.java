@NullMarked
package io.ocicat.netlink.nflog;

import org.jspecify.annotations.NullMarked;
