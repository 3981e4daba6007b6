/** Runs BIRD 2 on a node and speaks to its control socket. */
@NullMarked
package io.ocicat.agent.bird;

import org.jspecify.annotations.NullMarked;
