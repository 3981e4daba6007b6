/** The state that the kernel should have, as values: a pure function of the view. */
@NullMarked
package io.ocicat.agent.desired;

import org.jspecify.annotations.NullMarked;
