@NullMarked
package io.ocicat.agent.kernel;

import org.jspecify.annotations.NullMarked;
