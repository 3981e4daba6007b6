@NullMarked
package io.ocicat.agent.config;

import org.jspecify.annotations.NullMarked;
