/**
 * Manages addresses by asking a server over HTTP, as {@code docs/http-ipam-protocol.md} says. The
 * plugin is called {@code ipam}.
 */
@NullMarked
package io.ocicat.plugins.httpipam;

import org.jspecify.annotations.NullMarked;
