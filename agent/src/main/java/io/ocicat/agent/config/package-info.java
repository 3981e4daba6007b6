/** Felix's configuration: parameters, their sources and the values in force, applied live. */
@NullMarked
package io.ocicat.agent.config;

import org.jspecify.annotations.NullMarked;
