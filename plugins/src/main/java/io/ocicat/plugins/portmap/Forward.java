package io.ocicat.plugins.portmap;

/** A host port that is forwarded to a port of a container of the same address family. */
record Forward(HostPort port, ContainerAddress container, int containerPort) {
  Forward onAllAddresses() {
    return new Forward(port.onAllAddresses(), container, containerPort);
  }
}
