package io.ocicat.daemon.metrics;

/**
 * What is so just now, asked when somebody wants to know.
 *
 * @param oldestNanos how long the call that is under way for longest has been so
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
