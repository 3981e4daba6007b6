/** What a datastore may answer instead of a result; one sealed hierarchy. */
@NullMarked
package io.ocicat.datastore.error;

import org.jspecify.annotations.NullMarked;
