package io.ocicat.cli.resource;

import io.ocicat.datastore.resource.Resource;

/**
 * A resource in a user's file.
 *
 * @param origin where, for messages: {@code pools.yaml: document 2}
 */
record Manifest(String origin, Resource resource) {}
