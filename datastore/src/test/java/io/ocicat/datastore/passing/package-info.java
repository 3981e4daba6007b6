/** Datastores in front of another one, for tests and benchmarks: something happens on the way. */
@NullMarked
package io.ocicat.datastore.passing;

import org.jspecify.annotations.NullMarked;
