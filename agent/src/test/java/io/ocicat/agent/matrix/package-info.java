/**
 * The proof that policy is enforced as written: an oracle that reads stored documents and says what
 * is allowed, a cluster of namespaces, and probes that try every cell of the truth table with real
 * packets. Nothing here uses the agent's own policy classes.
 */
@NullMarked
package io.ocicat.agent.matrix;

import org.jspecify.annotations.NullMarked;
