/** Releases addresses that nothing on this machine uses any more. */
@NullMarked
package io.ocicat.daemon.address;

import org.jspecify.annotations.NullMarked;
