/** Which datastore to use, from where Calico says so: CNI configuration, environment, calicoctl. */
@NullMarked
package io.ocicat.datastore.config;

import org.jspecify.annotations.NullMarked;
