@NullMarked
package io.ocicat.datastore.embedded;

import org.jspecify.annotations.NullMarked;
