/**
 * Releases addresses of Calico's pools that nothing on this machine uses any more, and keeps the
 * masquerade rules in step with these pools.
 */
@NullMarked
package io.ocicat.daemon.address;

import org.jspecify.annotations.NullMarked;
