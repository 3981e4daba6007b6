/**
 * A server of addresses for the {@code ipam} plugin: the reference implementation of the protocol
 * in {@code docs/http-ipam-protocol.md}. {@link io.ocicat.ipamserver.IpamServer} is all that others
 * need.
 */
@NullMarked
package io.ocicat.ipamserver;

import org.jspecify.annotations.NullMarked;
