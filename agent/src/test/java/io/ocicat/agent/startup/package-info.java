@NullMarked
package io.ocicat.agent.startup;

import org.jspecify.annotations.NullMarked;
