package io.ocicat.datastore.cluster;

/**
 * A condition in the status of a node, such as {@code NetworkUnavailable}.
 *
 * @param reason one word, for programs
 * @param message for people
 */
public record NodeCondition(String type, boolean status, String reason, String message) {}
