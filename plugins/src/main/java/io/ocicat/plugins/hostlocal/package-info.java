/** Leases addresses of ranges on this host, as files that the Go plugin reads and writes, too. */
@NullMarked
package io.ocicat.plugins.hostlocal;

import org.jspecify.annotations.NullMarked;
