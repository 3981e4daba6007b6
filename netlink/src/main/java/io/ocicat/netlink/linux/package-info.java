/**
 * The few system calls Linux networking needs, through one foreign-function handle. Everything that
 * reaches the kernel goes through {@link io.ocicat.netlink.linux.Kernel}. On top of them stand what
 * the JDK lacks: {@link io.ocicat.netlink.linux.FileLock locks} that other programs respect and
 * {@link io.ocicat.netlink.linux.UnixSocket Unix sockets} that carry descriptors.
 */
@NullMarked
package io.ocicat.netlink.linux;

import org.jspecify.annotations.NullMarked;
