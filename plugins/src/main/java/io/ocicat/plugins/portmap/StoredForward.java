package io.ocicat.plugins.portmap;

/** What an owner has written down of a {@link Forward}: enough to find all that belongs to it. */
record StoredForward(HostPort port, ContainerAddress container) {}
