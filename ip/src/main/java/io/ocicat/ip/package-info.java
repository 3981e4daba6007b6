/** IPv4, IPv6 and MAC addresses as value types. */
@NullMarked
package io.ocicat.ip;

import org.jspecify.annotations.NullMarked;
