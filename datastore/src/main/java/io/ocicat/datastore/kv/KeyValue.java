package io.ocicat.datastore.kv;

/**
 * A key with its value.
 *
 * @param created the revision that created the key; a new one after it was deleted and recreated
 * @param modified the revision that gave it this value
 * @param lease the lease it is deleted with, 0 for none
 */
public record KeyValue(String key, String value, long created, long modified, long lease) {}
