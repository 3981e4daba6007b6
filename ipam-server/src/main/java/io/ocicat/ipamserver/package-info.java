/**
 * An IPAM server for the {@code ipam} plugin: the reference implementation of the protocol in
 * {@code docs/http-ipam-protocol.md}. {@link io.ocicat.ipamserver.IpamServer} is the entry point.
 */
@NullMarked
package io.ocicat.ipamserver;

import org.jspecify.annotations.NullMarked;
