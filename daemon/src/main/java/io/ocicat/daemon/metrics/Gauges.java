package io.ocicat.daemon.metrics;

/**
 * Current values, read when the metrics are scraped.
 *
 * @param oldestNanos how long the oldest call in progress has been running
 */
public record Gauges(
    int inFlight,
    int waiting,
    long oldestNanos,
    int attachments,
    int journal,
    int spool,
    long lateAdds,
    boolean ready,
    long uptimeNanos) {}
