/** Datastores that wrap another one, for tests and benchmarks. */
@NullMarked
package io.ocicat.datastore.passing;

import org.jspecify.annotations.NullMarked;
