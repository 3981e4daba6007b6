/**
 * Evaluates policy for one packet, as a person would with all resources in front of them: plainly,
 * without indexes, and with a reason for every rule that does not match. What the agent enforces is
 * computed otherwise, from the same model.
 */
@NullMarked
package io.ocicat.agent.policy.explain;

import org.jspecify.annotations.NullMarked;
