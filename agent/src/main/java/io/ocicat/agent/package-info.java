/**
 * What stays running on a node: calico/node and Felix, without policy. Data flows one way: {@code
 * view}, {@code desired}, {@code kernel}, {@code status}.
 */
@NullMarked
package io.ocicat.agent;

import org.jspecify.annotations.NullMarked;
