/** What the agent tells others: endpoint status, readiness, metrics. */
@NullMarked
package io.ocicat.agent.status;

import org.jspecify.annotations.NullMarked;
