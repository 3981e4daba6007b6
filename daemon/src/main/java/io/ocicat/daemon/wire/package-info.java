/**
 * The protocol between shim and daemon: one request and one answer per connection, with numbers in
 * little-endian order. The other end is {@code shim.c}.
 *
 * <pre>
 * request   u32 magic  u16 major  u16 minor
 *           u32 length of name  u32 of environment  u32 of stdin
 *           u32 limit in milliseconds  u64 start (CLOCK_MONOTONIC, nanoseconds)
 *           u32 which descriptors came along (1: caller's netns, 2: container's)
 *           u32 errno of opening the container's
 *           u64 mount namespace  u64 user namespace  u64 device and u64 inode of the root directory
 *           name, environment (each variable ends with a 0; that without a name, which shims before
 *           minor version 1 do not have, is the caller's working directory; OCICAT_CALL_ID, from minor
 *           version 2 on, tells this call from all others, and OCICAT_CALL_AGAIN is there when it was
 *           tried before and the connection ended without an answer), stdin
 * answer    u32 magic  u16 major  u16 minor  u16 kind  u16 exit code
 *           u32 length of stdout  u32 of stderr
 *           stdout, stderr
 * </pre>
 *
 * An answer of the kind "working" has no content and says that there is a daemon and that the
 * answer will come; there may be any number of them.
 *
 * <p>A minor version may only give a meaning to what was not used before. A daemon serves shims of
 * its own major version, whatever their minor, and shims take answers of any minor. So during an
 * upgrade an older daemon takes the names of calls for variables like others, and passes over the
 * one without a name; an interrupted ADD of an older shim is one without a name, and is refused
 * where its attachment is there already. With another major version a call is declined, and made
 * without the daemon.
 */
@NullMarked
package io.ocicat.daemon.wire;

import org.jspecify.annotations.NullMarked;
