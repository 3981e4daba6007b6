/** Network namespaces: opening, creating, naming, and running code inside them. */
@NullMarked
package io.ocicat.netlink.ns;

import org.jspecify.annotations.NullMarked;
