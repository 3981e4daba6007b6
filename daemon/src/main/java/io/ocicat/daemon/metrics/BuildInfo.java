package io.ocicat.daemon.metrics;

/** The version and commit of the running program. */
public record BuildInfo(String version, String commit) {}
