/**
 * Configuration of the datastore, from Calico's sources: CNI configuration, environment, calicoctl.
 */
@NullMarked
package io.ocicat.datastore.config;

import org.jspecify.annotations.NullMarked;
