/**
 * The {@code ipam} plugin: allocates addresses from a server over HTTP, by the protocol in {@code
 * docs/http-ipam-protocol.md}.
 */
@NullMarked
package io.ocicat.plugins.httpipam;

import org.jspecify.annotations.NullMarked;
