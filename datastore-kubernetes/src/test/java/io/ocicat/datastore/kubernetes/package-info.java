/** Tests of the engine with a test API server, and with a real one when configured. */
@NullMarked
package io.ocicat.datastore.kubernetes;

import org.jspecify.annotations.NullMarked;
