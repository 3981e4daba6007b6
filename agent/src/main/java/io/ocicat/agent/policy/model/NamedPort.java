package io.ocicat.agent.policy.model;

/**
 * A port of an endpoint that rules can name.
 *
 * @param protocol the number in the IP header
 */
public record NamedPort(String name, int protocol, int port) {}
