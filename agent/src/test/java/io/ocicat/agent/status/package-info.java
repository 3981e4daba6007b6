@NullMarked
package io.ocicat.agent.status;

import org.jspecify.annotations.NullMarked;
