/** Releases addresses of Calico's pools that nothing on this machine has any more. */
@NullMarked
package io.ocicat.daemon.address;

import org.jspecify.annotations.NullMarked;
