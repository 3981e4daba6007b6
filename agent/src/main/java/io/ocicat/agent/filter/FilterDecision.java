package io.ocicat.agent.filter;

import java.util.OptionalInt;

/**
 * What rules decide about a packet, and where.
 *
 * @param tier empty when a profile decides, or nothing did
 * @param list the rules that decide; empty at the end of a tier or of everything
 * @param rule the position of the rule in its resource
 */
public record FilterDecision(boolean allowed, String tier, String list, OptionalInt rule) {}
