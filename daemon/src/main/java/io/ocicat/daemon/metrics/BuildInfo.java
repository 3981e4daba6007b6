package io.ocicat.daemon.metrics;

/** Which program this is. */
public record BuildInfo(String version, String commit) {}
