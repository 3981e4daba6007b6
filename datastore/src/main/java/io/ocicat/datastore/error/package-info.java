/** The errors of a datastore, as one sealed hierarchy. */
@NullMarked
package io.ocicat.datastore.error;

import org.jspecify.annotations.NullMarked;
