/**
 * Hands finished calls to an OpenTelemetry collector, as OTLP over HTTP with JSON. Loaded only when
 * asked for: the JDK's HTTP client costs megabytes.
 */
@NullMarked
package io.ocicat.daemon.otlp;

import org.jspecify.annotations.NullMarked;
