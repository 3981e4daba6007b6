@NullMarked
package io.ocicat.agent.bird;

import org.jspecify.annotations.NullMarked;
