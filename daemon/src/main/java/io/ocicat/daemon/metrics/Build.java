package io.ocicat.daemon.metrics;

/** Which program this is. */
public record Build(String version, String commit) {}
