/** The engine against an API server of the tests' own, and against a real one when there is one. */
@NullMarked
package io.ocicat.datastore.kubernetes;

import org.jspecify.annotations.NullMarked;
