package io.ocicat.agent.matrix;

/** A raw socket, and whose it is. */
record RawListener(Actor actor, RawSocket socket, int protocol) {}
