/** {@code ocicat datastore}: a datastore as a whole. */
@NullMarked
package io.ocicat.cli.store;

import org.jspecify.annotations.NullMarked;
