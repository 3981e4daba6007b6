package io.ocicat.sandbox.container;

/**
 * A device of the host in a container.
 *
 * @param hostPath a device, a link to one, or a directory of them
 * @param permissions some of {@code rwm}: read, write, make
 */
public record ContainerDevice(String containerPath, String hostPath, String permissions) {}
