package io.ocicat.agent.desired;

import io.ocicat.ip.IpPrefix;

/**
 * Routes of protocol boot to destinations in this range, through a gateway on this link, are the
 * agent's: flannel marks its routes on a node's own links by nothing else.
 */
public record OwnedRange(IpPrefix range, String link) {}
