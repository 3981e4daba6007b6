package io.ocicat.plugins.portmap;

/** What the kernel stores of an owner's {@link Forward}: enough to find all that belongs to it. */
record StoredForward(HostPort port, ContainerAddress container) {}
