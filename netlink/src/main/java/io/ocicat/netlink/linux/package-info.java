/**
 * System calls through one foreign-function handle, {@link io.ocicat.netlink.linux.Kernel}, and
 * what the JDK lacks on top of them: {@link io.ocicat.netlink.linux.FileLock locks} that other
 * programs respect and {@link io.ocicat.netlink.linux.UnixSocket Unix sockets} that transfer
 * descriptors.
 */
@NullMarked
package io.ocicat.netlink.linux;

import org.jspecify.annotations.NullMarked;
