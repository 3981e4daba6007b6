/** Brings the loopback interface of a container up. */
@NullMarked
package io.ocicat.plugins.loopback;

import org.jspecify.annotations.NullMarked;
