/**
 * The {@code bandwidth} plugin: limits the rates at which a container receives and sends, with
 * token buckets on its veth and an ifb.
 */
@NullMarked
package io.ocicat.plugins.bandwidth;

import org.jspecify.annotations.NullMarked;
