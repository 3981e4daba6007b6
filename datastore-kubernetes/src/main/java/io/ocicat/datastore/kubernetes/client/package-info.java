/** The Kubernetes API over HTTP: credentials, requests, retries, lists and watches. */
@NullMarked
package io.ocicat.datastore.kubernetes.client;

import org.jspecify.annotations.NullMarked;
