package io.ocicat.datastore.cluster;

import io.ocicat.datastore.error.DatastoreException;
import java.util.Map;
import java.util.Optional;

/** The Secrets in the Kubernetes API. Every failure is a {@link DatastoreException}. */
@FunctionalInterface
public interface ClusterSecrets {
  /** Returns the entries of a Secret by key; empty when it does not exist. */
  Optional<Map<String, String>> secret(String namespace, String name);
}
