package io.ocicat.agent.filter;

import java.util.OptionalInt;

/**
 * ICMP messages of a type, and of one code if it is given.
 *
 * @param code empty for any
 */
public record IcmpMatch(int type, OptionalInt code) {}
