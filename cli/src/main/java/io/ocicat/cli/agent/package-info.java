/** {@code ocicat agent}: runs the node's agent, and shows how it is. */
@NullMarked
package io.ocicat.cli.agent;

import org.jspecify.annotations.NullMarked;
