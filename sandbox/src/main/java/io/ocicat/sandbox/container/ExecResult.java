package io.ocicat.sandbox.container;

/**
 * The outcome of a command that was run in a container.
 *
 * @param stdout bounded; what exceeds is dropped
 */
@SuppressWarnings("ArrayRecordComponent") // handed on to the wire, never compared
public record ExecResult(byte[] stdout, byte[] stderr, int exitCode) {}
