@NullMarked
package io.ocicat.agent.policy.explain;

import org.jspecify.annotations.NullMarked;
