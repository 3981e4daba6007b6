/** {@code ocicat datastore}: commands on a datastore as a whole. */
@NullMarked
package io.ocicat.cli.store;

import org.jspecify.annotations.NullMarked;
