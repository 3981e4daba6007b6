package io.ocicat.datastore.kv;

/**
 * A key with its value.
 *
 * @param created the revision that made the key; another one after it was deleted and made again
 * @param modified the revision that gave it this value
 * @param lease the lease it dies with, 0 for none
 */
public record KeyValue(String key, String value, long created, long modified, long lease) {}
