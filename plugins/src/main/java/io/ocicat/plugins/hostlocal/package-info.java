/**
 * The {@code host-local} plugin: leases addresses from ranges on this host, in files that the Go
 * plugin reads and writes, too.
 */
@NullMarked
package io.ocicat.plugins.hostlocal;

import org.jspecify.annotations.NullMarked;
