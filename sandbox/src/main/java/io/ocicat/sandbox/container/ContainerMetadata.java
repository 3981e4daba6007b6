package io.ocicat.sandbox.container;

/**
 * The name of a container within its sandbox.
 *
 * @param attempt how often it was restarted
 */
public record ContainerMetadata(String name, long attempt) {}
