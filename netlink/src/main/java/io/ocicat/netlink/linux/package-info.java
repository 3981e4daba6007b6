/**
 * The few system calls Linux networking needs, through one foreign-function handle. Everything that
 * reaches the kernel goes through {@link io.ocicat.netlink.linux.Kernel}.
 */
@NullMarked
package io.ocicat.netlink.linux;

import org.jspecify.annotations.NullMarked;
