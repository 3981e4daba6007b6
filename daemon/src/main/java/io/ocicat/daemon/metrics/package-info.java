/**
 * Metrics of the daemon, in the text format of Prometheus. Written here rather than taken from a
 * library: it is two small classes instead of eight jars that take 100 ms to warm up.
 */
@NullMarked
package io.ocicat.daemon.metrics;

import org.jspecify.annotations.NullMarked;
