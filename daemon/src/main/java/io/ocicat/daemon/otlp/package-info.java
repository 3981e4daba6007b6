/**
 * Sends finished calls to an OpenTelemetry collector, as OTLP over HTTP with JSON. Loaded only when
 * configured: the JDK's HTTP client costs megabytes.
 */
@NullMarked
package io.ocicat.daemon.otlp;

import org.jspecify.annotations.NullMarked;
